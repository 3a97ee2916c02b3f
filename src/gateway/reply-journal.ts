import { keyAfterReply, keyUnder, TextDigest } from "../sessions/fingerprint.js";
import type { CallBlock } from "../turn/blocks.js";
import type { Batch, CheckpointEvent } from "../turn/event.js";
import type { Conversation } from "./continuity.js";

/** Records what one reply said, as the client will send it back, and the checkpoint that covers all of it. */
export class ReplyJournal {
  checkpoint: CheckpointEvent | undefined;
  /** The last settled checkpoint from before the first words and calls: it holds the request and nothing of the reply. */
  opening: CheckpointEvent | undefined;
  /** Whether the model has said or done anything but think. */
  hasSpoken = false;
  #hasBegun = false;
  /** How much of the text from upstream the client has not been sent: it is held back, or was left out. */
  #unsentCharacters = 0;
  /** Every call for the client that came from upstream, whether it was sent or held back. */
  readonly seenCalls = new Set<string>();
  readonly #text = new TextDigest();
  readonly #calls = new Map<string, CallBlock>();

  get sentCalls(): readonly string[] {
    return [...this.#calls.keys()];
  }

  /** The last checkpoint of the turn, if the client has everything that it covers: it need not wait for the finish. */
  get last(): CheckpointEvent | undefined {
    const isSent = !this.#text.isEmpty && this.#unsentCharacters === 0;
    return isSent && this.checkpoint?.isLast === true ? this.checkpoint : undefined;
  }

  /** A step for batches from upstream. It takes the checkpoints out. */
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
    const after = keyAfterReply(bareKey, this.#text, [...this.#calls.values()]);
    return { key: keyUnder(settings, after), bareKey: after };
  }
}
