import { gzipSync } from "node:zlib";
import { anySignal } from "../../turn/any-signal.js";
import { isHeartbeat, isRun, parseBody } from "../calls.js";
import type { CapturedCall, EndLine, FrameLine, HeadLine } from "../format.js";
import { encodeJsonNode } from "../json-node.js";
import { encodeMessage } from "../message-node.js";
import type { Filler } from "./filler.js";
import type { Inbox } from "./inbox.js";
import type { ReplayRequest, ReplayResponse } from "./node-http.js";
import { Output } from "./output.js";

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
  const output = new Output(response, leaving.signal);
  const contentType = String(request.headers["content-type"] ?? "");
  const player = new Player({ ...deps, path: opening.path, contentType, inbox, output, signal: leaving.signal });
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

  /** Waits for the client's message and learns its ids and texts. Heartbeats come when they come. */
  async expect(frame: FrameLine): Promise<void> {
    if (isHeartbeat(frame)) return;
    const { path, contentType, inbox, signal, patienceMs, filler, onDeviation } = this.#deps;
    const limit = anySignal([signal, AbortSignal.timeout(patienceMs)]);
    for (;;) {
      const bytes = await inbox.next(limit);
      if (bytes === undefined) {
        if (!signal.aborted) onDeviation(`${path}: the client does not send ${frame.path || "its request"}.`);
        return;
      }
      const actual = parseBody(path, "client", contentType, bytes);
      if (isHeartbeat(actual)) continue;
      if (actual.path !== frame.path) onDeviation(`${path}: the client sends ${actual.path} instead of ${frame.path}.`);
      filler.bind(frame.body, actual.body);
      return;
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
    await this.#deps.output.write(this.#isStream ? envelope(0, bytes, this.#isGzip) : bytes);
  }

  async end({ how, code, body }: EndLine): Promise<void> {
    const { output, filler } = this.#deps;
    switch (how) {
      case "end-frame": {
        const json = body === undefined ? "{}" : encodeJsonNode(filler.fill(body));
        output.end(envelope(END, Buffer.from(json), false));
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

function envelope(flags: number, payload: Buffer, isGzip: boolean): Buffer {
  const body = isGzip ? gzipSync(payload, { level: 1 }) : payload;
  const head = Buffer.alloc(5);
  head.writeUInt8(flags | (isGzip ? GZIP : 0), 0);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}
