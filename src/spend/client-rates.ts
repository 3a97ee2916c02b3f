import type { RequestRecord } from "../events/index.js";
import { GatewayError } from "../turn/error.js";
import { type Rate, RecentRates } from "./recent-rates.js";

const MINUTE_MS = 60_000;
/** How soon a client may try again that has too many requests open. */
const SOON_MS = 1_000;
/** A program can call itself anything. So all that show the same key may together ask for as much as this many programs. */
const PROGRAMS_OF_A_KEY = 8;

interface AtOnce {
  readonly concurrent: number;
  readonly perMinute: number;
}

/** Who asks, alone and together with the other programs that show the same key. */
interface Rates {
  readonly program: Rate;
  readonly key: Rate;
}

/** A client that asks for too much at once. The limit is named as the owner would name it. */
export class TooMuchAtOnce extends GatewayError {
  readonly limit: "client.concurrent" | "client.perMinute";

  constructor(limit: TooMuchAtOnce["limit"], message: string, retryAfterMs: number) {
    super("rate_limit_exceeded", message, { retryAfterMs, isRetryable: true, isOwnRefusal: true });
    this.limit = limit;
  }
}

/** How much each client asks for at once and in a minute. A client is a key or an account, and a program that uses it. */
export class ClientRates {
  readonly #programs = new RecentRates();
  readonly #keys = new RecentRates();
  /** The requests that are open. An id may be the client's own, so the record itself is the key. */
  readonly #open = new Map<RequestRecord, Rates>();

  /** @throws TooMuchAtOnce, and then nothing is counted */
  admit(record: RequestRecord, account: string | undefined, limits: AtOnce, nowMs: number): void {
    const rates = this.#ratesOf(record, account, nowMs);
    refuseTooMuch("This client has", rates.program, limits, 1, nowMs);
    refuseTooMuch("All programs with this key together have", rates.key, limits, PROGRAMS_OF_A_KEY, nowMs);
    this.#enter(record, rates);
  }

  /** Counts a request that is not refused, whatever the limits. */
  enter(record: RequestRecord, account: string | undefined, nowMs: number): void {
    this.#enter(record, this.#ratesOf(record, account, nowMs));
  }

  /** Undoes that: the request is asked about again. */
  takeBack(record: RequestRecord): void {
    const rates = this.#open.get(record);
    if (rates === undefined) return;
    this.leave(record);
    rates.program.inMinute = Math.max(0, rates.program.inMinute - 1);
    rates.key.inMinute = Math.max(0, rates.key.inMinute - 1);
  }

  /** The request is over. */
  leave(record: RequestRecord): void {
    const rates = this.#open.get(record);
    if (rates === undefined) return; // it was refused, or it has joined the reply of another
    this.#open.delete(record);
    rates.program.open--;
    rates.key.open--;
  }

  #enter(record: RequestRecord, rates: Rates): void {
    const { program, key } = rates;
    program.open++;
    program.inMinute++;
    key.open++;
    key.inMinute++;
    this.#open.set(record, rates);
  }

  #ratesOf({ caller, client }: RequestRecord, account: string | undefined, nowMs: number): Rates {
    const key = account === undefined ? caller : `${caller} ${account}`;
    return { program: this.#programs.of(`${key} ${client}`, nowMs), key: this.#keys.of(key, nowMs) };
  }
}

function refuseTooMuch(who: string, rate: Rate, { concurrent, perMinute }: AtOnce, times: number, nowMs: number): void {
  if (rate.open >= concurrent * times) {
    const raise = `curlew limits set client.concurrent ${2 * concurrent}`;
    const text = `${who} ${rate.open} requests open, which is all that may be open at once. Wait until one has ended, or raise the limit: ${raise}`;
    throw new TooMuchAtOnce("client.concurrent", text, SOON_MS);
  }
  if (rate.inMinute >= perMinute * times) {
    const raise = `curlew limits set client.perMinute ${2 * perMinute}`;
    const text = `${who} sent ${rate.inMinute} requests within a minute, which is all that may be sent. Wait for the next minute, or raise the limit: ${raise}`;
    throw new TooMuchAtOnce("client.perMinute", text, rate.minuteStartMs + MINUTE_MS - nowMs);
  }
}
