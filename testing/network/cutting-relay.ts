import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { END, EnvelopeReader, encodeEnvelope } from "../../packages/simulator/server/envelope.js";
import { CutPlan } from "./cut-plan.js";
import { type LocalServer, listenLocally } from "./local-server.js";

export const cutKinds = ["reset", "end", "end-frame", "silence", "error", "goaway"] as const;
/** How a stream breaks off: reset, ended with or without an end frame, silent, failed, or lost with its whole session. */
export type CutKind = (typeof cutKinds)[number];

export interface Cut {
  /** The number of the first envelope that does not arrive, counted over all runs from 1. */
  readonly envelope: number;
  readonly kind: CutKind;
}

export interface CuttingRelay extends LocalServer {
  /** The names of the server's messages since the count began, without heartbeats, whose number is arbitrary. */
  readonly envelopes: readonly string[];
  /** Whether a stream was broken off since the count began. */
  readonly hasCut: boolean;
  /** Counts from 1 again, and breaks the stream off at the cut if there is one; everything after it passes. */
  plan(cut?: Cut): void;
  /** Breaks off everything that is open now. */
  cutNow(kind: CutKind): void;
  /** Sends runs to this address from now on. */
  connectTo(url: string): void;
}

export const unavailable = { error: { code: "unavailable", message: "cut by the relay" } };

/** A relay between gateway and server on the agent's streams. It passes everything on, and breaks one stream off. */
export async function startCuttingRelay(): Promise<CuttingRelay> {
  const server = createServer();
  const targets: ClientHttp2Session[] = [];
  let target: ClientHttp2Session | undefined;
  const plan = new CutPlan();
  const count = (payload: Buffer, flags: number) => plan.count(payload, flags);

  server.on("session", (session) => session.on("error", () => {}));
  server.on("stream", (near: ServerHttp2Stream, headers) => {
    if (target === undefined) return near.close(constants.NGHTTP2_REFUSED_STREAM);
    const run = new RelayedRun(near, target.request(headers, { endStream: false }), count);
    plan.runs.add(run);
    near.once("close", () => plan.runs.delete(run));
  });
  const local = await listenLocally(server);
  return Object.assign(plan, {
    ...local,
    connectTo(url: string) {
      target = connect(url);
      target.on("error", () => {});
      targets.push(target);
    },
    async close() {
      for (const each of targets) each.destroy();
      await local.close();
    },
  });
}

/** One run on its way through the relay. */
class RelayedRun {
  readonly #near: ServerHttp2Stream;
  readonly #far: ClientHttp2Stream;
  readonly #count: (payload: Buffer, flags: number) => CutKind | undefined;
  readonly #reader = new EnvelopeReader();
  #isCut = false;

  constructor(
    near: ServerHttp2Stream,
    far: ClientHttp2Stream,
    count: (payload: Buffer, flags: number) => CutKind | undefined,
  ) {
    this.#near = near;
    this.#far = far;
    this.#count = count;
    near.on("error", () => {});
    far.on("error", () => {});
    near.on("data", (chunk: Buffer) => this.#ask(chunk));
    near.once("end", () => this.#isCut || far.end());
    near.once("close", () => this.#abandon());
    // The stream is kept open for trailers, because a reset would otherwise send the end of the stream before itself.
    far.once(
      "response",
      (headers) => near.destroyed || near.respond(answerHeaders(headers), { waitForTrailers: true }),
    );
    near.once("wantTrailers", () => near.closed || near.sendTrailers({}));
    far.on("data", (chunk: Buffer) => this.#answer(chunk));
    far.once("end", () => this.#isCut || near.end());
    far.once("close", () => {
      if (!this.#isCut && !near.destroyed && far.rstCode !== constants.NGHTTP2_NO_ERROR) near.close(far.rstCode);
    });
  }

  cut(kind: CutKind): void {
    this.#isCut = true;
    if (kind !== "silence") this.#abandon(); // the far side of a silent stream does not know that anything is wrong
    switch (kind) {
      case "reset":
        this.#near.close(constants.NGHTTP2_INTERNAL_ERROR);
        break;
      case "end":
        this.#near.end();
        break;
      case "end-frame":
        this.#near.end(encodeEnvelope(END, Buffer.from("{}")));
        break;
      case "error":
        this.#near.end(encodeEnvelope(END, Buffer.from(JSON.stringify(unavailable))));
        break;
      case "goaway":
        this.#near.session?.destroy();
        break;
      case "silence":
    }
  }

  #abandon(): void {
    this.#far.close(constants.NGHTTP2_CANCEL);
  }

  #ask(chunk: Buffer): void {
    if (this.#isCut || this.#far.destroyed || this.#far.write(chunk)) return;
    this.#near.pause();
    this.#far.once("drain", () => this.#near.resume());
  }

  #answer(chunk: Buffer): void {
    if (this.#isCut || this.#near.destroyed) return;
    const passing: Buffer[] = [];
    for (const { flags, payload } of this.#reader.push(chunk)) {
      const kind = this.#count(payload, flags);
      if (kind !== undefined) {
        this.#isCut = true;
        // Cuts only after everything before the cut has been sent.
        this.#near.write(Buffer.concat(passing), () => this.cut(kind));
        return;
      }
      passing.push(encodeEnvelope(flags, payload));
    }
    if (passing.length === 0 || this.#near.write(Buffer.concat(passing))) return;
    this.#far.pause();
    this.#near.once("drain", () => this.#far.resume());
  }
}

function answerHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _connection, ...kept } = headers;
  return kept;
}
