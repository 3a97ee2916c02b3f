import { useEffect, useRef, useState } from "preact/hooks";
import type { DoorAnswer } from "../../access/contract.js";
import { messageOf, openSession, read } from "../api/call.js";
import { Button } from "../parts/card.js";
import { Code } from "../parts/copy.js";

interface DoorProps {
  /** Why the session ended or the link failed. */
  readonly problem: string | undefined;
  readonly onOpen: () => void;
}

export function Door({ problem: first, onOpen }: DoorProps) {
  const [door, setDoor] = useState<DoorAnswer>();
  const [problem, setProblem] = useState(first);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = "Curlew";
    // The view that had the focus is gone.
    if (first !== undefined) heading.current?.focus();
    read<DoorAnswer>("door").then(setDoor, (thrown: unknown) => setProblem(messageOf(thrown)));
  }, []);
  return (
    <main class="door">
      {door?.isSimulated && <Simulated />}
      <div class="card door-card column gap-4">
        <div class="brand row gap-3" style={{ padding: "0" }}>
          <img src={new URL("../curlew.svg", import.meta.url).href} width={44} alt="" />
          Curlew
        </div>
        <h1 tabIndex={-1} ref={heading}>
          Sign in to Curlew
        </h1>
        {problem !== undefined && (
          <p role="alert" class="note bad">
            {problem}
          </p>
        )}
        <p class="soft">Run this in a terminal on the machine where the gateway runs:</p>
        <Code text="curlew dashboard" what="the command that opens the page" />
        {door?.takesKey && <KeyForm onOpen={onOpen} onProblem={setProblem} />}
      </div>
    </main>
  );
}

interface KeyFormProps {
  readonly onOpen: () => void;
  readonly onProblem: (problem: string | undefined) => void;
}

function KeyForm({ onOpen, onProblem }: KeyFormProps) {
  const [isOpening, setOpening] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const enter = async (event: SubmitEvent) => {
    event.preventDefault();
    onProblem(undefined);
    setOpening(true);
    await openSession({ key: field.current?.value ?? "" }).then(onOpen, (thrown: unknown) => {
      setOpening(false);
      onProblem(messageOf(thrown));
      field.current?.select();
    });
  };
  return (
    <form class="ruled column gap-3" onSubmit={enter}>
      <label class="field column gap-1">
        Or enter the gateway's own key
        <input name="key" type="password" autocomplete="current-password" required ref={field} />
      </label>
      <Button type="submit" kind="first" disabled={isOpening}>
        {isOpening ? "Opening" : "Open"}
      </Button>
    </form>
  );
}

/** Shown above every view, so that simulated answers are not mistaken for real ones. */
export function Simulated() {
  return <p class="notice caution small medium">Simulated answers. For real models: curlew login</p>;
}
