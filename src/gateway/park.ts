import { keepCheckpoint } from "../sessions/checkpoints.js";
import type { ParkedRun } from "../sessions/parking.js";
import { noteReply } from "../sessions/seen-replies.js";
import type { Services } from "./services.js";

/**
 * Parks a run. Its checkpoint may come after the call, when the client has its reply already: it is stored for the transcript that
 * the client will send back, so that the turn can go on from there when the run is lost.
 */
export function park({ lot, store, onProblem }: Pick<Services, "lot" | "store" | "onProblem">, run: ParkedRun): void {
  const { exchange, backend, owner, keys, bareKeys, madeUnder } = run;
  exchange.onLateCheckpoint((checkpoint) => {
    // Without pending calls it is a state from before the calls, to which their results do not fit.
    if (checkpoint.phase !== "staged") return;
    let newest = "";
    for (const key of keys) {
      if (!keepCheckpoint(store, key, checkpoint, exchange.openCalls, run)) return;
      newest = key;
    }
    for (const bareKey of bareKeys) noteReply(store, owner, bareKey, { ...madeUnder, backend, key: newest });
    store.flush().catch(onProblem);
  });
  lot.park(run);
}
