import { useRef, useState } from "preact/hooks";
import type { StoppedAnswer } from "../../src/page/contract.js";
import { post } from "../api/call.js";
import { messageOf } from "../api/problem.js";
import { clockTime } from "../parts/format.js";
import { countRuns } from "./run-count.js";

interface StopAllProps {
  readonly replies: number;
  readonly waiting: number;
  readonly isConnected: boolean;
}

/** Ends everything that runs, after a question. */
export function StopAll({ replies, waiting, isConnected }: StopAllProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const outcome = useRef<HTMLSpanElement>(null);
  const [result, setResult] = useState("");
  const ask = () => {
    setResult("");
    dialog.current?.showModal();
  };
  const stop = async () => {
    dialog.current?.close();
    setResult("Stopping");
    // The button may be disabled in a moment, and would take the focus with it.
    outcome.current?.focus();
    setResult(await post<StoppedAnswer>("stop-all").then(stoppedText, messageOf));
  };
  return (
    <>
      <button type="button" class="button small" disabled={!isConnected || replies + waiting === 0} onClick={ask}>
        Stop all runs
      </button>
      <span class="now-stopped" role="status" tabIndex={-1} ref={outcome}>
        {result}
      </span>
      <dialog ref={dialog} class="card now-dialog" aria-labelledby="stop-all-title">
        <h2 id="stop-all-title">Stop {countRuns({ replies, waiting })}?</h2>
        <p>
          The clients get an error that says so, and what was answered until then counts as used. They can send their
          requests again.
        </p>
        <div class="now-dialog-buttons">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Keep running
          </button>
          <button type="button" class="button now-danger" onClick={stop}>
            Stop all
          </button>
        </div>
      </dialog>
    </>
  );
}

function stoppedText(stopped: StoppedAnswer): string {
  return stopped.replies + stopped.waiting === 0
    ? "Nothing ran any more."
    : `Stopped ${countRuns(stopped)} at ${clockTime(Date.now())}.`;
}
