import { Code, ConnectError } from "@connectrpc/connect";
import type { Clock } from "../../server/clock.js";

interface Box {
  /** The number that is delivered next. */
  next: number;
  held: Map<number, Uint8Array>;
  heldBytes: number;
  deliver: ((payload: Uint8Array) => void) | undefined;
  callOff: () => void;
}

const MAX_BOXES = 2_000;
const MAX_HELD = 1_000;
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** How long appends wait for their stream, and how long late appends of an ended stream are recognised. */
const LONELY_MS = 60_000;

/**
 * The upstream half of HTTP/1.1: appends come in any order, twice, or before the stream that they belong to
 * (docs/protocol/wire.md, runs over HTTP/1.1).
 */
export class Appends {
  readonly #clock: Clock;
  readonly #boxes = new Map<string, Box>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  append(requestId: string, seqno: number, payload: Uint8Array): void {
    const box = this.#boxes.get(requestId) ?? this.#newBox(requestId);
    if (seqno < box.next || box.held.has(seqno)) return;
    if (seqno === box.next && box.deliver !== undefined) {
      box.next += 1;
      box.deliver(payload);
      this.#deliverHeld(box);
      return;
    }
    if (box.held.size >= MAX_HELD || box.heldBytes + payload.byteLength > MAX_HELD_BYTES) {
      throw new ConnectError("Too many appends are waiting for this request.", Code.ResourceExhausted);
    }
    box.held.set(seqno, payload);
    box.heldBytes += payload.byteLength;
  }

  /** Delivers present and future appends in order. The returned function stops that. */
  open(requestId: string, deliver: (payload: Uint8Array) => void): () => void {
    const box = this.#boxes.get(requestId) ?? this.#newBox(requestId);
    if (box.deliver !== undefined) throw new ConnectError("This request id is already in use.", Code.InvalidArgument);
    box.callOff();
    box.deliver = deliver;
    this.#deliverHeld(box);
    return () => {
      // Late appends, mostly heartbeats, must not look like the beginning of another stream.
      box.deliver = () => {};
      box.held.clear();
      box.heldBytes = 0;
      this.#expire(requestId, box);
    };
  }

  close(): void {
    for (const box of this.#boxes.values()) box.callOff();
    this.#boxes.clear();
  }

  #deliverHeld(box: Box): void {
    for (let payload = box.held.get(box.next); payload !== undefined; payload = box.held.get(box.next)) {
      box.held.delete(box.next);
      box.heldBytes -= payload.byteLength;
      box.next += 1;
      box.deliver?.(payload);
    }
  }

  #newBox(requestId: string): Box {
    if (this.#boxes.size >= MAX_BOXES) throw new ConnectError("Too many requests are waiting.", Code.ResourceExhausted);
    const box: Box = { next: 0, held: new Map(), heldBytes: 0, deliver: undefined, callOff: () => {} };
    this.#boxes.set(requestId, box);
    this.#expire(requestId, box);
    return box;
  }

  #expire(requestId: string, box: Box): void {
    box.callOff();
    box.callOff = this.#clock.after(LONELY_MS, () => this.#boxes.delete(requestId));
  }
}
