import type { ClientsAnswer } from "../../src/page/contract.js";
import { Dot } from "../parts/chip.js";
import { ago } from "../parts/format.js";
import { lastHeard } from "./client-list.js";

interface ReachProps {
  readonly answer: ClientsAnswer;
  /** Those who came while somebody looked, the newest last. */
  readonly newcomers: readonly string[];
  readonly nowMs: number;
}

/** Whether a client gets through, which changes by itself when one does. */
export function Reach({ answer, newcomers, nowMs }: ReachProps) {
  const newest = newcomers.at(-1);
  const last = lastHeard(answer);
  return (
    <div class={`models-reach ${newest === undefined ? "" : "models-reached"}`}>
      <Dot tone={last === undefined ? "plain" : "good"} />
      <div>
        <strong role="status">
          {newest === undefined ? "Does my client reach it?" : `${newest} has reached the gateway`}
        </strong>
        <p>
          {last === undefined
            ? "No client has been seen yet. "
            : `Last heard from ${last.name}, ${ago(last.atMs, nowMs)}. `}
          {newest === undefined && "Send a message with yours: it shows up here as soon as it is answered."}
        </p>
      </div>
    </div>
  );
}
