import type { Network } from "../../network/index.js";
import type { CallEnding, CallOpening, CallRecord, Recorder } from "../recorder.js";

/** The most that one recorder keeps. Beyond it, the capture is marked as incomplete. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_EVENTS = 100_000;

export type RawEvent = { readonly atMs: number } & (
  | { readonly type: "sent" | "received"; readonly bytes: Buffer }
  | { readonly type: "answered"; readonly status: number; readonly headers: Headers }
  | { readonly type: "ended"; readonly how: CallEnding; readonly json?: string; readonly code?: number }
);
type Headers = Readonly<Record<string, string>>;

export interface RawCall {
  readonly opening: Omit<CallOpening, "headers"> & { readonly headers: Headers };
  readonly atMs: number;
  readonly events: readonly RawEvent[];
}

/** Keeps everything unchanged in memory. Only what may be shown is ever written, which is known only at the end. */
export class RawCapture implements Recorder {
  readonly calls: RawCall[] = [];
  isWhole = true;
  readonly #now: () => number;
  readonly #startMs: number;
  #bytes = 0;
  #events = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#startMs = now();
  }

  open({ method, path, http, headers }: CallOpening): CallRecord {
    const events: RawEvent[] = [];
    const keep = (event: RawEvent, bytes: number) => {
      this.#bytes += bytes;
      this.#events += 1;
      if (this.#bytes > MAX_BYTES || this.#events > MAX_EVENTS) this.isWhole = false;
      else events.push(event);
    };
    if (this.isWhole) {
      const opening = { method, path: path.split("?", 1)[0] ?? "", http, headers: textHeaders(headers) };
      this.calls.push({ opening, atMs: this.#atMs(), events });
    }
    const message = (type: "sent" | "received") => (bytes: Uint8Array) => {
      if (this.isWhole) keep({ type, atMs: this.#atMs(), bytes: Buffer.from(bytes) }, bytes.length);
    };
    let isOver = false;
    return {
      sent: message("sent"),
      received: message("received"),
      answered: (status, answer) =>
        keep({ type: "answered", atMs: this.#atMs(), status, headers: textHeaders(answer) }, 0),
      ended: (how, details = {}) => {
        if (!isOver) keep({ type: "ended", atMs: this.#atMs(), how, ...details }, details.json?.length ?? 0);
        isOver = true;
      },
    };
  }

  #atMs(): number {
    return Math.round((this.#now() - this.#startMs) * 10) / 10;
  }
}

function textHeaders(headers: Readonly<Record<string, unknown>>): Headers {
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), String(value)] as const],
  );
  return Object.fromEntries(texts);
}

/** The same network, whose single requests are recorded. Streams are recorded where they are cut into messages. */
export function recordedNetwork(network: Network, recorder: Recorder): Network {
  return {
    ...network,
    async fetch(url, init = {}) {
      const { method = "GET", headers = {}, body = "" } = init;
      const record = recorder.open({ method, path: new URL(url).pathname, http: "1.1", headers });
      if (body.length > 0) record.sent(Buffer.from(body));
      try {
        const response = await network.fetch(url, init);
        record.answered(response.status, response.headers);
        if (response.body.length > 0) record.received(response.body);
        record.ended("complete");
        return response;
      } catch (thrown) {
        record.ended(init.signal?.aborted === true ? "canceled" : "unreachable");
        throw thrown;
      }
    },
  };
}
