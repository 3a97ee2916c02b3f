import { END } from "../../simulator/envelope.js";
import type { Cut, CutKind } from "./cutting-relay.js";
import { nameMessage } from "./name-message.js";

/** Counts the server's messages over all runs, and says at which of them a stream breaks off. */
export class CutPlan {
  envelopes: string[] = [];
  hasCut = false;
  #planned: Cut | undefined;

  begin(cut: Cut | undefined): void {
    this.envelopes = [];
    this.hasCut = false;
    this.#planned = cut;
  }

  /** The cut that this envelope meets, once. */
  count(payload: Buffer, flags: number): CutKind | undefined {
    const name = (flags & END) === 0 ? nameMessage(payload) : "end";
    if (name === "heartbeat") return undefined;
    this.envelopes.push(name);
    if (this.hasCut || this.envelopes.length !== this.#planned?.envelope) return undefined;
    this.hasCut = true;
    return this.#planned.kind;
  }
}
