import type { RequestRecord } from "../events/index.js";
import { GatewayError } from "../turn/error.js";

const MINUTE_MS = 60_000;
/** How soon a client may try again that has too many requests open. */
const SOON_MS = 1_000;
/** Beyond this number clients that ask for nothing now are forgotten. */
const MAX_CLIENTS = 2_000;

interface ClientState {
  open: number;
  minuteStartMs: number;
  inMinute: number;
}

/** A client that asks for too much at once. The limit is named as the owner would name it. */
export class TooMuchAtOnce extends GatewayError {
  readonly limit: "client.concurrent" | "client.perMinute";

  constructor(limit: TooMuchAtOnce["limit"], message: string, retryAfterMs: number) {
    super("rate_limit_exceeded", message, { retryAfterMs, isRetryable: true, isOwnRefusal: true });
    this.limit = limit;
  }
}

/** How much each client asks for at once and in a minute. A client is a key, and a program that uses it. */
export class ClientRates {
  readonly #clients = new Map<string, ClientState>();
  /** The requests that are open. An id may be the client's own, so the record itself is the key. */
  readonly #open = new Map<RequestRecord, ClientState>();

  /** @throws TooMuchAtOnce, and then nothing is counted */
  admit(record: RequestRecord, limits: { concurrent: number; perMinute: number }, nowMs: number): void {
    const state = this.#stateOf(record, nowMs);
    const { concurrent, perMinute } = limits;
    if (state.open >= concurrent) {
      const raise = `curlew limits set client.concurrent ${2 * concurrent}`;
      const text = `This client has ${state.open} requests open, which is all that it may have at once. Wait until one has ended, or raise the limit: ${raise}`;
      throw new TooMuchAtOnce("client.concurrent", text, SOON_MS);
    }
    if (state.inMinute >= perMinute) {
      const raise = `curlew limits set client.perMinute ${2 * perMinute}`;
      const text = `This client has sent ${state.inMinute} requests within a minute, which is all that it may send. Wait for the next minute, or raise the limit: ${raise}`;
      throw new TooMuchAtOnce("client.perMinute", text, state.minuteStartMs + MINUTE_MS - nowMs);
    }
    this.#enter(record, state);
  }

  /** Counts a request that is not refused, whatever the limits. */
  enter(record: RequestRecord, nowMs: number): void {
    this.#enter(record, this.#stateOf(record, nowMs));
  }

  /** Undoes that: the request is asked about again. */
  takeBack(record: RequestRecord): void {
    const state = this.#open.get(record);
    if (state === undefined) return;
    this.leave(record);
    state.inMinute = Math.max(0, state.inMinute - 1);
  }

  /** The request is over. */
  leave(record: RequestRecord): void {
    const state = this.#open.get(record);
    if (state === undefined) return; // it was refused, or it has joined the reply of another
    this.#open.delete(record);
    state.open--;
  }

  #enter(record: RequestRecord, state: ClientState): void {
    state.open++;
    state.inMinute++;
    this.#open.set(record, state);
  }

  #stateOf({ caller, client }: RequestRecord, nowMs: number): ClientState {
    const name = `${caller} ${client}`;
    let state = this.#clients.get(name);
    if (state === undefined) {
      state = { open: 0, minuteStartMs: nowMs, inMinute: 0 };
      this.#clients.set(name, state);
      if (this.#clients.size > MAX_CLIENTS) this.#forgetIdle(nowMs);
    }
    const agoMs = nowMs - state.minuteStartMs;
    if (agoMs >= MINUTE_MS || agoMs < 0) {
      state.minuteStartMs = nowMs;
      state.inMinute = 0;
    }
    return state;
  }

  #forgetIdle(nowMs: number): void {
    for (const [name, { open, minuteStartMs }] of this.#clients) {
      if (open === 0 && nowMs - minuteStartMs >= MINUTE_MS) this.#clients.delete(name);
    }
  }
}
