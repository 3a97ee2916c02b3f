import type { ClientCall, Exchange } from "../backends/backend.js";
import type { CallBlock } from "../turn/blocks.js";
import type { Batch, CheckpointEvent } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";
import type { Conversation } from "./continuity.js";
import type { RunPlan } from "./plan.js";
import type { Task } from "./request.js";
import type { Services } from "./services.js";
import { openingKey } from "./sessions/checkpoints.js";
import { keyAfterReply, keyUnder, TextDigest } from "./sessions/fingerprint.js";
import type { ParkedRun } from "./sessions/parking.js";
import { type Checkpoint, savePosition, seenSettings } from "./sessions/positions.js";
import { writeKnownReminders } from "./sessions/reminders.js";

/** Records what one reply said, as the client will send it back, and the checkpoint that covers all of it. */
export class ReplyJournal {
  checkpoint: CheckpointEvent | undefined;
  /** The last settled checkpoint from before the first words and calls: it holds the request and nothing of the reply. */
  opening: CheckpointEvent | undefined;
  /** Whether the model has done anything besides thinking. */
  hasSpoken = false;
  #hasBegun = false;
  /** Characters of text from upstream that the client was not sent: held back, or left out. */
  #unsentCharacters = 0;
  readonly seenCalls = new Set<string>();
  readonly #text = new TextDigest();
  readonly #calls = new Map<string, CallBlock>();
  readonly #asReturned: NonNullable<Turn["asReturned"]>;

  constructor({ asReturned = (_, input) => input }: Pick<Turn, "asReturned"> = {}) {
    this.#asReturned = asReturned;
  }

  get sentCalls(): readonly string[] {
    return [...this.#calls.keys()];
  }

  /** The last checkpoint of the turn, if the client has all that it covers: it can be saved before the finish. */
  get last(): CheckpointEvent | undefined {
    const isSent = !this.#text.isEmpty && this.#unsentCharacters === 0;
    return isSent && this.checkpoint?.isLast === true ? this.checkpoint : undefined;
  }

  /** A step for batches from upstream. Removes the checkpoints. */
  readonly fromUpstream = (batch: Batch): Batch => {
    let isClean = true;
    for (const event of batch) {
      if (event.type === "checkpoint") {
        this.checkpoint = event;
        if (!this.#hasBegun && event.phase === "settled") this.opening = event;
        isClean = false;
      } else if (event.type === "text" || event.type === "thinking") {
        this.checkpoint = undefined; // a checkpoint does not cover text that follows it
        if (event.type !== "text") continue;
        this.#hasBegun = this.hasSpoken = true;
        this.#unsentCharacters += event.delta.length;
      } else if (event.type === "call") {
        this.hasSpoken = true;
        if (event.runs !== "client") continue;
        this.#hasBegun = true;
        this.seenCalls.add(event.id);
        if (this.checkpoint?.phase === "settled") this.checkpoint = undefined;
      }
    }
    return isClean ? batch : batch.filter(({ type }) => type !== "checkpoint");
  };

  readonly toClient = (batch: Batch): Batch => {
    for (const event of batch) {
      if (event.type === "text") {
        this.#text.push(event.delta);
        this.#unsentCharacters -= event.delta.length;
      } else if (event.type === "call" && event.runs === "client") {
        this.#calls.set(event.id, { type: "call", id: event.id, name: event.name, input: "" });
      } else if (event.type === "call-input") {
        const call = this.#calls.get(event.id);
        if (call !== undefined) call.input += event.delta;
      }
    }
    return batch;
  };

  forgetCheckpoints(): void {
    this.checkpoint = this.opening = undefined;
  }

  /** The keys of the transcript that the client will send back: its request and this reply as far as it has come. */
  keysAfter({ settings, bareKey }: Conversation): { key: string; bareKey: string } {
    const calls = Array.from(this.#calls.values(), (call) => ({
      ...call,
      input: this.#asReturned(call.name, call.input),
    }));
    const after = keyAfterReply(bareKey, this.#text, calls);
    return { key: keyUnder(settings, after), bareKey: after };
  }
}

export class ReplyState {
  readonly #task: Task;
  readonly #journal: ReplyJournal;
  #saved: CheckpointEvent | undefined;
  /** How many of the sent calls the saved position covers. */
  #savedCalls = 0;

  constructor(task: Task, journal: ReplyJournal) {
    this.#task = task;
    this.#journal = journal;
  }

  save({ conversation }: RunPlan, { openCalls }: Exchange): void {
    const { checkpoint, sentCalls } = this.#journal;
    if (checkpoint === undefined || checkpoint === this.#saved) return;
    this.#saved = checkpoint;
    const keys = this.#journal.keysAfter(conversation);
    const isKept = this.#keep(conversation, keys, sentCalls, checkpointOf(checkpoint, openCalls, conversation));
    if (isKept) this.#savedCalls = sentCalls.length;
  }

  /**
   * Saves the state from before the reply, for a message that comes instead of results or after half an answer. It is also the
   * fallback for a checkpoint of the calls, which may come late or never.
   */
  saveOpening({ conversation }: RunPlan): void {
    const { opening } = this.#journal;
    if (opening === undefined) return;
    const { settings, bareKey } = conversation;
    const keys = { key: openingKey(keyUnder(settings, bareKey)), bareKey: openingKey(bareKey) };
    this.#keep(conversation, keys, [], checkpointOf(opening, [], conversation));
  }

  /** Remembers where calls were made. Unlike the run that waits for them, this outlives the process. */
  rememberCalls({ conversation }: RunPlan): void {
    const { sentCalls } = this.#journal;
    if (sentCalls.length === this.#savedCalls) return;
    this.#keep(conversation, this.#journal.keysAfter(conversation), sentCalls, undefined);
  }

  #keep(
    { lineage, firstKey }: Conversation,
    keys: { readonly key: string; readonly bareKey: string },
    callIds: readonly string[],
    checkpoint: Omit<Checkpoint, "lineage"> | undefined,
  ): boolean {
    const { services, request, backend, model } = this.#task;
    const made = { ...seenSettings(request.turn, model.id), backend: backend.name };
    const { owner } = request;
    return savePosition(services.store, { owner, lineage, firstKey, callIds, checkpoint, ...keys, ...made });
  }
}

/** A checkpoint as it is stored, with the calls that its run waits for. */
function checkpointOf(
  { state, phase, calls = [], conversationId }: CheckpointEvent,
  openCalls: readonly ClientCall[],
  { id, knownReminders }: Pick<Conversation, "id" | "knownReminders">,
): Omit<Checkpoint, "lineage"> {
  const asked = [...new Map([...calls, ...openCalls].map((call) => [call.id, call])).values()];
  const memo = writeKnownReminders(knownReminders);
  return { state, phase, conversationId: conversationId ?? id, calls: asked, memo };
}

/**
 * Parks a run. Its checkpoint may come after the call, when the client has its reply already: it is stored for the transcript that
 * the client will send back, so that the turn can resume from it if the run is lost.
 */
export function park(services: Pick<Services, "lot" | "store" | "onProblem">, run: ParkedRun): void {
  const { lot, store, onProblem } = services;
  const { exchange, backend, owner, lineage, firstKey, conversationId: id, knownReminders, madeUnder } = run;
  const bareKeys = [...run.bareKeys];
  exchange.onLateCheckpoint((event) => {
    // Without pending calls it is a state from before the calls, to which their results do not fit.
    if (event.phase !== "staged") return;
    const checkpoint = checkpointOf(event, exchange.openCalls, { id, knownReminders });
    const callIds = exchange.openCalls.map((call) => call.id);
    for (const [at, key] of [...run.keys].entries()) {
      const bareKey = bareKeys[at] ?? bareKeys.at(-1) ?? "";
      savePosition(store, { owner, lineage, firstKey, callIds, checkpoint, key, bareKey, backend, ...madeUnder });
    }
    store.flush().catch(onProblem);
  });
  lot.park(run);
}
