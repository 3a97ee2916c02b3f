import { useEffect, useState } from "preact/hooks";
import type { DoorAnswer } from "../../src/page/contract.js";
import { read } from "../api/call.js";
import { Problem, UNREACHABLE } from "../api/problem.js";
import { openSession } from "../api/session.js";
import { CopyButton } from "../parts/copy.js";

interface DoorProps {
  /** Why somebody is here who thought to be in. */
  readonly problem: string | undefined;
  readonly onOpen: () => void;
}

/** What somebody sees who has no permission: a sentence on how to get in, and a field where a key opens the page too. */
export function Door({ problem: first, onOpen }: DoorProps) {
  const [door, setDoor] = useState<DoorAnswer>();
  const [problem, setProblem] = useState(first);
  useEffect(() => {
    document.title = "Curlew";
    read<DoorAnswer>("door").then(setDoor, (thrown: Problem) => setProblem(thrown.message));
  }, []);
  const enter = async (event: SubmitEvent) => {
    event.preventDefault();
    const key = new FormData(event.currentTarget as HTMLFormElement).get("key");
    setProblem(undefined);
    await openSession({ key: String(key) }).then(onOpen, (thrown: unknown) =>
      setProblem(thrown instanceof Problem ? thrown.message : UNREACHABLE),
    );
  };
  return (
    <main class="door">
      <div class="card door-card">
        <img src={new URL("../curlew.svg", import.meta.url).href} alt="" />
        <h1>This page belongs to the owner of the gateway</h1>
        {problem !== undefined && (
          <p role="alert" class="chip bad">
            {problem}
          </p>
        )}
        <p>To open it, run this in a terminal on the machine where the gateway runs:</p>
        <div class="code">
          <pre>curlew dashboard</pre>
          <CopyButton text="curlew dashboard" what="the command" />
        </div>
        {door?.takesKey && (
          <form onSubmit={enter}>
            <label class="field">
              Or enter the gateway's own key
              <input name="key" type="password" autocomplete="off" required />
            </label>
            <button type="submit" class="button first">
              Open
            </button>
          </form>
        )}
        {door?.isSimulated && <p class="faint">This gateway is simulated: its answers come from no model.</p>}
      </div>
    </main>
  );
}
