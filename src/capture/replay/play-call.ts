import { constants } from "node:http2";
import type { Writable } from "node:stream";
import { gzipSync } from "node:zlib";
import { isHeartbeat, isRun, parseBody } from "../calls.js";
import type { CapturedCall, EndLine, FrameLine, HeadLine } from "../format.js";
import { encodeJsonNode } from "../json-node.js";
import { encodeMessage } from "../message-node.js";
import type { Filler } from "./filler.js";
import type { Inbox } from "./inbox.js";
import type { ReplayRequest, ReplayResponse } from "./node-http.js";

const GZIP = 1;
const END = 2;

export interface PlayDeps {
  readonly filler: Filler;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called with what the client does otherwise than in the capture. */
  readonly onDeviation: (text: string) => void;
  /** How long a message of the client is waited for. */
  readonly patienceMs: number;
}

interface Exchange {
  readonly request: ReplayRequest;
  readonly response: ReplayResponse;
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
  const player = new Player(opening.path, request, response, inbox, deps, leaving.signal);
  let atMs = opening.atMs;
  for (const event of events) {
    const pauseMs = event.atMs - atMs;
    atMs = event.atMs;
    if (event.type === "frame" && event.from === "client") await player.expect(event);
    else {
      if (pauseMs >= 1) await deps.sleep(pauseMs, leaving.signal);
      if (leaving.signal.aborted) return;
      if (event.type === "head") player.begin(event);
      else if (event.type === "frame") await player.send(event);
      else player.end(event);
    }
  }
}

class Player {
  #isGzip = false;
  #isStream = false;
  readonly #path: string;
  readonly #request: ReplayRequest;
  readonly #response: ReplayResponse;
  readonly #inbox: Inbox;
  readonly #deps: PlayDeps;
  readonly #signal: AbortSignal;

  constructor(
    path: string,
    request: ReplayRequest,
    response: ReplayResponse,
    inbox: Inbox,
    deps: PlayDeps,
    signal: AbortSignal,
  ) {
    this.#path = path;
    this.#request = request;
    this.#response = response;
    this.#inbox = inbox;
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Waits for the client's message and learns its ids and texts. Heartbeats come when they come. */
  async expect(frame: FrameLine): Promise<void> {
    if (isHeartbeat(frame)) return;
    const contentType = String(this.#request.headers["content-type"] ?? "");
    const { patienceMs, filler, onDeviation } = this.#deps;
    const limit = AbortSignal.any([this.#signal, AbortSignal.timeout(patienceMs)]);
    for (;;) {
      const bytes = await this.#inbox.next(limit);
      if (bytes === undefined) {
        if (!this.#signal.aborted)
          onDeviation(`${this.#path}: the client does not send ${frame.path || "its request"}.`);
        return;
      }
      const actual = parseBody(this.#path, "client", contentType, bytes);
      if (isHeartbeat(actual)) continue;
      if (actual.path !== frame.path)
        onDeviation(`${this.#path}: the client sends ${actual.path} instead of ${frame.path}.`);
      filler.bind(frame.body, actual.body);
      return;
    }
  }

  begin({ status, headers }: HeadLine): void {
    const { filler } = this.#deps;
    for (const { name, pieces } of headers)
      this.#response.setHeader(name, filler.fillPieces(pieces).toString("latin1"));
    const type = String(this.#response.getHeader("content-type") ?? "");
    this.#isStream = isRun(this.#path) && status === 200 && /proto/.test(type);
    this.#isGzip = this.#response.getHeader("connect-content-encoding") === "gzip";
    this.#response.writeHead(status);
    if (this.#isStream && "flushHeaders" in this.#response) this.#response.flushHeaders();
  }

  async send({ body, message }: FrameLine): Promise<void> {
    const filled = this.#deps.filler.fill(body);
    const isMessage = message !== undefined && filled.kind === "message";
    const bytes = isMessage
      ? encodeMessage(filled.fields)
      : filled.kind === "data"
        ? filled.bytes
        : Buffer.from(encodeJsonNode(filled));
    await this.#write(this.#isStream ? envelope(0, bytes, this.#isGzip) : bytes);
  }

  end({ how, code, body }: EndLine): void {
    switch (how) {
      case "end-frame": {
        const json = body === undefined ? "{}" : encodeJsonNode(this.#deps.filler.fill(body));
        this.#response.end(envelope(END, Buffer.from(json), false));
        break;
      }
      case "complete":
      case "cut-off":
        this.#response.end();
        break;
      case "reset":
      case "unreachable":
        this.#reset(code);
        break;
      case "canceled":
        break; // the client leaves, as it did
    }
  }

  #reset(code: number | undefined): void {
    if ("stream" in this.#response) this.#response.stream.close(code ?? constants.NGHTTP2_INTERNAL_ERROR);
    else this.#response.destroy();
  }

  async #write(bytes: Buffer): Promise<void> {
    const response: Writable = this.#response;
    if (bytes.length === 0 || response.write(bytes)) return;
    await new Promise<void>((resolve) => {
      response.once("drain", () => resolve());
      this.#signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}

function envelope(flags: number, payload: Buffer, isGzip: boolean): Buffer {
  const body = isGzip ? gzipSync(payload, { level: 1 }) : payload;
  const head = Buffer.alloc(5);
  head.writeUInt8(flags | (isGzip ? GZIP : 0), 0);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}
