import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Socket } from "node:net";
import type { Clock } from "../../clock.js";
import { GatewayError } from "../../turn/error.js";

/** Held per stalled reader; below 256 KiB the socket's own buffers are the floor. */
const STREAM_WINDOW_BYTES = 256 * 1024;
/** So large that stalled streams can never use up what their neighbours on the session need. */
const SESSION_WINDOW_BYTES = 512 * 1024 * 1024;
const SESSION_MEMORY_MB = 512;
const CONNECT_TIMEOUT_MS = 10_000;
const PING_EVERY_MS = 10_000;
const PING_TIMEOUT_MS = 20_000;
/** A warm session is worth seconds to the next turn; a forgotten one is worth nothing. */
const IDLE_MS = 10 * 60_000;
/** Kept free below the peer's limit: another request may be on its way. */
const SPARE_STREAMS = 1;

export interface StreamRequest {
  /** Whose session it is: two accounts never share one. */
  account: string;
  origin: string;
  headers: OutgoingHttpHeaders;
}

/** Warm HTTP/2 sessions, per account and host; near the peer's stream limit another is opened. */
export class Http2Pool {
  readonly #clock: Clock;
  readonly #sessions = new Map<string, PooledSession[]>();
  readonly #stopPulse: () => void;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stopPulse = clock.every(PING_EVERY_MS, () => this.#pulse());
  }

  /** Sessions that are open now, for `/health` and tests. */
  get size(): number {
    let size = 0;
    for (const sessions of this.#sessions.values()) size += sessions.length;
    return size;
  }

  async open({ account, origin, headers }: StreamRequest): Promise<ClientHttp2Stream> {
    const key = `${account} ${origin}`;
    // A session may fill up or die while we wait for another that is still connecting.
    for (;;) {
      if (this.#isClosed) throw new GatewayError("shutting_down", "Curlew is stopping; try again in a moment.");
      const pooled = this.#find(key) ?? this.#connect(key, origin);
      await pooled.ready;
      if (pooled.hasRoom) return pooled.request(headers);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopPulse();
    for (const sessions of this.#sessions.values()) for (const pooled of sessions) pooled.destroy();
    this.#sessions.clear();
  }

  #find(key: string): PooledSession | undefined {
    return this.#sessions.get(key)?.find((pooled) => pooled.hasRoom);
  }

  #connect(key: string, origin: string): PooledSession {
    const pooled = new PooledSession(origin, this.#clock, () => {
      const left = this.#sessions.get(key)?.filter((other) => other !== pooled) ?? [];
      if (left.length > 0) this.#sessions.set(key, left);
      else this.#sessions.delete(key);
    });
    this.#sessions.set(key, [...(this.#sessions.get(key) ?? []), pooled]);
    return pooled;
  }

  #pulse(): void {
    for (const sessions of this.#sessions.values()) for (const pooled of sessions) pooled.pulse();
  }
}

class PooledSession {
  /** Resolves when the peer has told its limits; rejects when it can't be reached. */
  readonly ready: Promise<void>;
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  #openStreams = 0;
  #isReady = false;
  #isUsable = true;
  #idleSinceMs: number;
  #pingSentMs: number | undefined;

  constructor(origin: string, clock: Clock, onGone: () => void) {
    this.#clock = clock;
    this.#idleSinceMs = clock.now();
    const session = connect(origin, {
      settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
      maxSessionMemory: SESSION_MEMORY_MB,
    });
    this.#session = session;
    this.ready = new Promise((resolve, reject) => {
      const timer = setTimeout(() => session.destroy(new Error("no answer to the connection")), CONNECT_TIMEOUT_MS);
      const gone = (cause?: Error) => {
        clearTimeout(timer);
        this.#isUsable = false;
        onGone();
        reject(unreachable(origin, cause));
      };
      session.once("remoteSettings", () => {
        clearTimeout(timer);
        this.#isReady = true;
        resolve();
      });
      session.once("connect", (_session, socket) => {
        session.setLocalWindowSize(SESSION_WINDOW_BYTES);
        (socket as Socket).setNoDelay(true);
      });
      session.on("error", gone);
      session.once("close", () => gone());
    });
    this.ready.catch(() => {}); // a later opener may be the only one that looks
    session.once("goaway", () => {
      this.#isUsable = false; // streams under way may still end well; new ones go elsewhere
      if (this.#openStreams === 0) session.close();
    });
  }

  /** A session that is still connecting has room: whoever waits for it looks again when it is ready. */
  get hasRoom(): boolean {
    if (!this.#isUsable || this.#session.closed || this.#session.destroyed) return false;
    if (!this.#isReady) return true;
    const limit = this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    return this.#openStreams < Math.max(1, limit - SPARE_STREAMS);
  }

  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const stream = this.#session.request(headers, { endStream: false });
    this.#openStreams++;
    stream.once("close", () => {
      this.#openStreams--;
      this.#idleSinceMs = this.#clock.now();
      if (!this.#isUsable && this.#openStreams === 0) this.#session.close();
    });
    return stream;
  }

  pulse(): void {
    if (!this.#isReady || this.#session.destroyed) return;
    const nowMs = this.#clock.now();
    if (this.#openStreams === 0 && nowMs - this.#idleSinceMs > IDLE_MS) {
      this.#isUsable = false;
      this.#session.close();
      return;
    }
    if (this.#pingSentMs !== undefined) {
      if (nowMs - this.#pingSentMs >= PING_TIMEOUT_MS) this.#session.destroy(new Error("no answer to a PING"));
      return;
    }
    this.#pingSentMs = nowMs;
    const isSent = this.#session.ping(() => {
      this.#pingSentMs = undefined;
    });
    if (!isSent) this.#pingSentMs = undefined;
  }

  destroy(): void {
    this.#session.destroy(undefined, constants.NGHTTP2_CANCEL);
  }
}

function unreachable(origin: string, cause?: Error): GatewayError {
  const reason = cause === undefined ? "it closed the connection" : (Reflect.get(cause, "code") ?? cause.message);
  return new GatewayError(
    "upstream_unreachable",
    `Cursor's agent host ${origin} cannot be reached (${reason}). Check the network, then try again.`,
    { cause, isRetryable: true },
  );
}
