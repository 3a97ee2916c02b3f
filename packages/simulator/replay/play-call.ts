import { isHeartbeat, isRun, type ParsedBody, parseBody } from "@curlew/wire/messages/calls.js";
import type { CapturedCall, EndLine, FrameLine, HeadLine } from "@curlew/wire/messages/capture-format.js";
import { sleep, systemClock } from "../server/clock.js";
import { END, encodeEnvelope, encodeGzipEnvelope } from "../server/envelope.js";
import type { SimRequest, SimResponse } from "../server/node-http.js";
import { encodeJsonNode, encodeMessage } from "./encode-node.js";
import type { Filler } from "./filler.js";
import { Output } from "./output.js";

/** Time limit for a client message that the capture has. */
const PATIENCE_MS = 60_000;

export interface PlayDeps {
  readonly filler: Filler;
  /** Called with each deviation of the client from the capture. */
  readonly onDeviation: (text: string) => void;
}

interface Exchange {
  readonly request: SimRequest;
  readonly response: SimResponse;
  readonly inbox: Inbox;
}

/** Plays the server's side of one recorded call, at its recorded pace, in step with the client's messages. */
export async function playCall(
  { opening, events }: CapturedCall,
  { request, response, inbox }: Exchange,
  deps: PlayDeps,
): Promise<void> {
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  const output = new Output(response, leaving.signal);
  const contentType = String(request.headers["content-type"] ?? "");
  const player = new Player({ ...deps, path: opening.path, contentType, inbox, output, signal: leaving.signal });
  let atMs = opening.atMs;
  for (const event of events) {
    const pauseMs = event.atMs - atMs;
    atMs = event.atMs;
    if (event.type === "frame" && event.from === "client") await player.expect(event);
    else {
      if (pauseMs >= 1) await sleep(pauseMs, systemClock, leaving.signal);
      if (leaving.signal.aborted) return;
      if (event.type === "head") player.begin(event);
      else if (event.type === "frame") await player.send(event);
      else await player.end(event);
    }
  }
}

interface PlayerDeps extends PlayDeps {
  readonly path: string;
  /** The content type of the request. */
  readonly contentType: string;
  readonly inbox: Inbox;
  readonly output: Output;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

class Player {
  readonly #deps: PlayerDeps;
  #isGzip = false;
  #isStream = false;

  constructor(deps: PlayerDeps) {
    this.#deps = deps;
  }

  /** Waits for the client's message and learns its ids and texts. Heartbeats are not awaited. */
  async expect(frame: FrameLine): Promise<void> {
    if (isHeartbeat(frame)) return;
    const { path, signal, filler, onDeviation } = this.#deps;
    const actual = await this.#nextMessage();
    if (actual === undefined) {
      if (!signal.aborted) onDeviation(`${path}: the client does not send ${frame.path || "its request"}.`);
      return;
    }
    if (actual.path !== frame.path) onDeviation(`${path}: the client sends ${actual.path} instead of ${frame.path}.`);
    filler.bind(frame.body, actual.body);
  }

  /** Undefined when the client leaves or takes too long. */
  async #nextMessage(): Promise<ParsedBody | undefined> {
    const { path, contentType, inbox, signal } = this.#deps;
    // No AbortSignal.timeout: Node 20 may collect one that only AbortSignal.any knows.
    const limit = new AbortController();
    const callOff = systemClock.after(PATIENCE_MS, () => limit.abort());
    const ending = AbortSignal.any([signal, limit.signal]);
    try {
      for (;;) {
        const bytes = await inbox.next(ending);
        const message = bytes && parseBody(path, "client", contentType, bytes);
        if (message === undefined || !isHeartbeat(message)) return message;
      }
    } finally {
      callOff();
    }
  }

  begin({ status, headers }: HeadLine): void {
    const { filler, output, path } = this.#deps;
    const filled = Object.fromEntries(
      headers.map(({ name, pieces }) => [name, filler.fillPieces(pieces).toString("latin1")]),
    );
    this.#isStream = isRun(path) && status === 200 && /proto/.test(filled["content-type"] ?? "");
    this.#isGzip = filled["connect-content-encoding"] === "gzip";
    output.begin(status, filled);
  }

  async send({ body, message }: FrameLine): Promise<void> {
    const filled = this.#deps.filler.fill(body);
    const isMessage = message !== undefined && filled.kind === "message";
    const bytes = isMessage
      ? encodeMessage(filled.fields)
      : filled.kind === "data"
        ? filled.bytes
        : Buffer.from(encodeJsonNode(filled));
    const encode = this.#isGzip ? encodeGzipEnvelope : encodeEnvelope;
    await this.#deps.output.write(this.#isStream ? encode(0, bytes) : bytes);
  }

  async end({ how, code, body }: EndLine): Promise<void> {
    const { output, filler } = this.#deps;
    switch (how) {
      case "end-frame": {
        const json = body === undefined ? "{}" : encodeJsonNode(filler.fill(body));
        output.end(encodeEnvelope(END, Buffer.from(json)));
        break;
      }
      case "complete":
      case "cut-off":
        output.end();
        break;
      case "reset":
      case "unreachable":
        await output.reset(code);
        break;
      case "canceled":
        break; // the client leaves, as it did
    }
  }
}

/** Queues the messages of a client in their order. */
export class Inbox {
  readonly #ready: Buffer[] = [];
  readonly #early = new Map<number, Buffer>();
  #nextSeqno = 0;
  #wake: (() => void) | undefined;

  push(message: Buffer): void {
    this.#ready.push(message);
    this.#wake?.();
  }

  /** For messages that come as separate requests, in any order and perhaps twice. */
  pushNumbered(seqno: number, message: Buffer): void {
    if (seqno >= this.#nextSeqno) this.#early.set(seqno, message);
    for (let next = this.#early.get(this.#nextSeqno); next !== undefined; next = this.#early.get(this.#nextSeqno)) {
      this.#early.delete(this.#nextSeqno++);
      this.push(next);
    }
  }

  /** Undefined when the signal aborts first. */
  async next(signal: AbortSignal): Promise<Buffer | undefined> {
    while (this.#ready.length === 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    return this.#ready.shift();
  }
}
