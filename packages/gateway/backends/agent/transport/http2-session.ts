import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import { TLSSocket } from "node:tls";
import { type Network, unreachable } from "../../../network/index.js";
import type { Clock } from "../../../system/clock.js";
import { anySignal } from "../../../turn/any-signal.js";
import { codeOf } from "../../../turn/reason-of.js";
import { Http2Refused } from "../../cursor/refusal.js";

/** The most that a stalled reader keeps in memory. Below 256 KiB the socket's own buffers dominate. */
const STREAM_WINDOW_BYTES = 256 * 1024;
/** Large enough that stalled streams never use up the window of other streams on the session. */
const SESSION_WINDOW_BYTES = 512 * 1024 * 1024;
const SESSION_MEMORY_MB = 512;
const CONNECT_TIMEOUT_MS = 10_000;
const SETTINGS_TIMEOUT_MS = 10_000;
/** As in Cursor's CLI (docs/protocol/wire.md, timing). */
const PING_TIMEOUT_MS = 20_000;
/** A warm session saves the next turn seconds, so it is kept for a while; an unused one is closed after this time. */
const IDLE_MS = 10 * 60_000;
/** Streams kept free below the peer's limit, because another request may be about to start. */
const SPARE_STREAMS = 1;

interface SessionDeps {
  readonly origin: string;
  readonly network: Pick<Network, "dial">;
  readonly clock: Clock;
  readonly onGone: () => void;
}

export class PooledSession {
  /** Resolves when the peer has sent its limits. Rejects when it cannot be reached, or not over HTTP/2. */
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
    this.ready.catch(() => this.#gone()); // a later caller may be the only one that awaits it
  }

  /** A session that is still connecting counts as having room; its waiters check again when it is ready. */
  get hasRoom(): boolean {
    if (!this.#isUsable) return false;
    if (this.#session === undefined) return true;
    if (this.#session.closed || this.#session.destroyed) return false;
    const limit = this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    return this.#openStreams < Math.max(1, limit - SPARE_STREAMS);
  }

  request(headers: OutgoingHttpHeaders): ClientHttp2Stream | undefined {
    if (this.#session === undefined) return undefined;
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
    const signal = anySignal([this.#leaving.signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
    const socket = await network.dial(new URL(origin), { alpn: ["h2"], signal }).catch((cause: Error) => {
      // The peer speaks TLS, but none of the protocols that we offered.
      const isAlpnRefusal = codeOf(cause).includes("NO_APPLICATION_PROTOCOL");
      throw isAlpnRefusal ? notSpoken(origin, cause) : unreachable(origin, cause);
    });
    if (socket instanceof TLSSocket && socket.alpnProtocol !== "h2") {
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

  /** Waits for the peer's SETTINGS: until they come, nothing shows that it speaks HTTP/2. */
  #greet(session: ClientHttp2Session): Promise<void> {
    const { origin } = this.#deps;
    const giveUp = () => session.destroy();
    this.#leaving.signal.addEventListener("abort", giveUp, { once: true });
    const timer = setTimeout(() => session.destroy(new Error("no HTTP/2 SETTINGS")), SETTINGS_TIMEOUT_MS);
    session.once("connect", () => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
    session.once("goaway", () => {
      this.#isUsable = false; // open streams may still end well; new ones go to another session
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

function notSpoken(origin: string, cause?: Error): Http2Refused {
  const reason = cause === undefined ? "it closed the connection" : (Reflect.get(cause, "code") ?? cause.message);
  return new Http2Refused(
    "upstream_unreachable",
    `Cursor's agent host ${origin} was reached, but not over HTTP/2 (${reason}). Set CURLEW_TRANSPORT to h1 or auto.`,
    { cause, isRetryable: true },
  );
}
