import { clockTime, some } from "@curlew/gateway/system/format.js";
import { useRef, useState } from "preact/hooks";
import type { StoppedAnswer } from "../../access/contract.js";
import { messageOf, post } from "../api/call.js";
import { Button } from "../parts/card.js";

export function StopAll({ replies, waiting, isConnected }: StoppedAnswer & { readonly isConnected: boolean }) {
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
    // Move the focus: the button may become disabled, which would lose it.
    outcome.current?.focus();
    setResult(await post<StoppedAnswer>("stop-all").then(stoppedText, messageOf));
  };
  return (
    <>
      <Button kind="small" disabled={!isConnected || replies + waiting === 0} onClick={ask}>
        Stop all runs
      </Button>
      <span class="no-ring" role="status" tabIndex={-1} ref={outcome}>
        {result}
      </span>
      <dialog ref={dialog} class="card now-dialog" aria-labelledby="stop-all-title">
        <h2 id="stop-all-title">Stop {countRuns({ replies, waiting })}?</h2>
        <p class="soft" style={{ margin: "var(--gap-3) 0 var(--gap-5)" }}>
          Clients get an error and can send their requests again. What was generated until then counts as usage.
        </p>
        <div class="flex end gap-3">
          <Button onClick={() => dialog.current?.close()}>Keep running</Button>
          <Button kind="danger" onClick={stop}>
            Stop all
          </Button>
        </div>
      </dialog>
    </>
  );
}

function stoppedText(stopped: StoppedAnswer): string {
  return stopped.replies + stopped.waiting === 0
    ? "Nothing was running."
    : `Stopped ${countRuns(stopped)} at ${clockTime(Date.now())}.`;
}

/** `2 replies and 1 waiting run` */
export function countRuns({ replies, waiting }: { readonly replies: number; readonly waiting: number }): string {
  const parts = [
    ...(replies > 0 ? [some(replies, "reply", "replies")] : []),
    ...(waiting > 0 ? [some(waiting, "waiting run")] : []),
  ];
  return parts.length === 0 ? "all runs" : parts.join(" and ");
}
