import type { Exchange } from "../backends/backend.js";
import { keepCheckpoint, openingKey } from "../sessions/checkpoints.js";
import { keyUnder } from "../sessions/fingerprint.js";
import { noteReply, rememberCalls, seenSettings } from "../sessions/made-calls.js";
import type { ParkedRun } from "../sessions/parking.js";
import type { CheckpointEvent } from "../turn/event.js";
import type { RunPlan } from "./plan.js";
import type { ReplyJournal } from "./reply-journal.js";
import type { Task } from "./request.js";
import type { Services } from "./services.js";

export class ReplyState {
  readonly #task: Task;
  readonly #journal: ReplyJournal;
  #saved: CheckpointEvent | undefined;

  constructor(task: Task, journal: ReplyJournal) {
    this.#task = task;
    this.#journal = journal;
  }

  save({ conversation }: RunPlan, { openCalls }: Exchange): void {
    const { checkpoint } = this.#journal;
    if (checkpoint === undefined || checkpoint === this.#saved) return;
    this.#saved = checkpoint;
    const { services, request } = this.#task;
    const { id: conversationId, knownReminders } = conversation;
    const of = { owner: request.owner, conversationId, knownReminders };
    const { key, bareKey } = this.#journal.keysAfter(conversation);
    const isKept = keepCheckpoint(services.store, key, checkpoint, openCalls, of);
    // A note without a checkpoint would make the next turn look as if its settings had changed.
    if (isKept) this.#note(bareKey, key);
  }

  /**
   * Saves the state from before the reply, for a message that comes instead of results or after half an answer. It is also second
   * best to a checkpoint of the calls, which may come later or never.
   */
  saveOpening({ conversation }: RunPlan): void {
    const { opening } = this.#journal;
    if (opening === undefined) return;
    const { services, request } = this.#task;
    const { id: conversationId, knownReminders, settings, bareKey } = conversation;
    const of = { owner: request.owner, conversationId, knownReminders };
    const key = keyUnder(settings, bareKey);
    if (keepCheckpoint(services.store, openingKey(key), opening, [], of)) this.#note(openingKey(bareKey), key);
  }

  rememberCalls({ conversation }: RunPlan): void {
    const { sentCalls } = this.#journal;
    if (sentCalls.length === 0) return;
    const { services, request } = this.#task;
    rememberCalls(services.store, request.owner, sentCalls, this.#journal.keysAfter(conversation));
  }

  #note(bareKey: string, key: string): void {
    const { services, request, backend, model } = this.#task;
    const seen = { ...seenSettings(request.turn, model.id), backend: backend.name, key };
    noteReply(services.store, request.owner, bareKey, seen);
  }
}

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
