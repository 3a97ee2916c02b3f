import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../../../clock.js";
import type { Network } from "../../../network/index.js";
import { unreachable } from "../../../network/index.js";
import { Http2Refused } from "../../cursor/refusal.js";

/** Held per stalled reader; below 256 KiB the socket's own buffers are the floor. */
const STREAM_WINDOW_BYTES = 256 * 1024;
/** So large that stalled streams can never use up what their neighbours on the session need. */
const SESSION_WINDOW_BYTES = 512 * 1024 * 1024;
const SESSION_MEMORY_MB = 512;
const CONNECT_TIMEOUT_MS = 10_000;
/** For the first word inside an open connection. */
const SETTINGS_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 20_000;
/** A warm session is worth seconds to the next turn; a forgotten one is worth nothing. */
const IDLE_MS = 10 * 60_000;
/** Kept free below the peer's limit: another request may be on its way. */
const SPARE_STREAMS = 1;

interface SessionDeps {
  readonly origin: string;
  readonly network: Pick<Network, "dial">;
  readonly clock: Clock;
  readonly onGone: () => void;
}

/** One HTTP/2 connection, from its first byte to its last. */
export class PooledSession {
  /** Resolves when the peer has told its limits; rejects when it cannot be reached, or not by HTTP/2. */
  readonly ready: Promise<void>;
  readonly #deps: SessionDeps;
  readonly #leaving = new AbortController();
  #session: ClientHttp2Session | undefined;
  #openStreams = 0;
  #isUsable = true;
  #idleSinceMs: number;
  #pingSentMs: number | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#idleSinceMs = deps.clock.now();
    this.ready = this.#open();
    this.ready.catch(() => this.#gone()); // a later opener may be the only one that looks
  }

  /** A session that is still connecting has room: whoever waits for it looks again when it is ready. */
  get hasRoom(): boolean {
    if (!this.#isUsable) return false;
    if (this.#session === undefined) return true;
    if (this.#session.closed || this.#session.destroyed) return false;
    const limit = this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    return this.#openStreams < Math.max(1, limit - SPARE_STREAMS);
  }

  /** Only once it is ready. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    if (this.#session === undefined) throw new Error("not connected yet");
    const stream = this.#session.request(headers, { endStream: false });
    this.#openStreams++;
    stream.once("close", () => {
      this.#openStreams--;
      this.#idleSinceMs = this.#deps.clock.now();
      if (!this.#isUsable && this.#openStreams === 0) this.#session?.close();
    });
    return stream;
  }

  pulse(): void {
    const session = this.#session;
    if (session === undefined || session.destroyed) return;
    const nowMs = this.#deps.clock.now();
    if (this.#openStreams === 0 && nowMs - this.#idleSinceMs > IDLE_MS) {
      this.#isUsable = false;
      session.close();
      return;
    }
    if (this.#pingSentMs !== undefined) {
      if (nowMs - this.#pingSentMs >= PING_TIMEOUT_MS) session.destroy(new Error("no answer to a PING"));
      return;
    }
    this.#pingSentMs = nowMs;
    const isSent = session.ping(() => {
      this.#pingSentMs = undefined;
    });
    if (!isSent) this.#pingSentMs = undefined;
  }

  destroy(): void {
    this.#isUsable = false;
    this.#leaving.abort();
    this.#session?.destroy(undefined, constants.NGHTTP2_CANCEL);
  }

  async #open(): Promise<void> {
    const { origin, network } = this.#deps;
    const signal = AbortSignal.any([this.#leaving.signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
    const socket = await network.dial(new URL(origin), { alpn: ["h2"], signal }).catch((cause: Error) => {
      throw isAlpnRefusal(cause) ? notSpoken(origin, cause) : unreachable(origin, cause);
    });
    if (isTls(socket) && socket.alpnProtocol !== "h2") {
      socket.destroy();
      throw notSpoken(origin);
    }
    const session = connect(origin, {
      createConnection: () => socket,
      settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
      maxSessionMemory: SESSION_MEMORY_MB,
    });
    await this.#greet(session);
    this.#session = session;
  }

  /** Nobody speaks HTTP/2 there until it has said so. */
  #greet(session: ClientHttp2Session): Promise<void> {
    const { origin } = this.#deps;
    const giveUp = () => session.destroy();
    this.#leaving.signal.addEventListener("abort", giveUp, { once: true });
    const timer = setTimeout(() => session.destroy(new Error("no answer to the greeting")), SETTINGS_TIMEOUT_MS);
    session.once("connect", () => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
    session.once("goaway", () => {
      this.#isUsable = false; // streams under way may still end well; new ones go elsewhere
      if (this.#openStreams === 0) session.close();
    });
    return new Promise((resolve, reject) => {
      session.once("remoteSettings", () => {
        clearTimeout(timer);
        this.#leaving.signal.removeEventListener("abort", giveUp);
        resolve();
      });
      const gone = (cause?: Error) => {
        clearTimeout(timer);
        this.#gone();
        reject(notSpoken(origin, cause));
      };
      session.on("error", gone);
      session.once("close", () => gone());
    });
  }

  #gone(): void {
    this.#isUsable = false;
    this.#deps.onGone();
  }
}

function isTls(socket: object): socket is TLSSocket {
  return "alpnProtocol" in socket;
}

/** The other side knows TLS, but nothing that we offered to speak inside of it. */
function isAlpnRefusal(cause: Error): boolean {
  return String(Reflect.get(cause, "code")).includes("NO_APPLICATION_PROTOCOL");
}

function notSpoken(origin: string, cause?: Error): Http2Refused {
  const reason = cause === undefined ? "it closed the connection" : (Reflect.get(cause, "code") ?? cause.message);
  return new Http2Refused(
    "upstream_unreachable",
    `Cursor's agent host ${origin} was reached, but not by HTTP/2 (${reason}). Set CURLEW_TRANSPORT to h1 or auto.`,
    { cause, isRetryable: true },
  );
}
