import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import type { Network } from "../../../network/index.js";
import type { Clock } from "../../../system/clock.js";
import { stopping } from "../../closed.js";
import { PooledSession } from "./http2-session.js";

/** Cursor's CLI sends PINGs as often (docs/protocol/wire.md, timing). */
const PING_EVERY_MS = 10_000;

export interface StreamRequest {
  /** The account that owns the session: two accounts never share one. */
  account: string;
  origin: string;
  headers: OutgoingHttpHeaders;
}

/** Warm HTTP/2 sessions per account and host. Near the peer's stream limit the pool opens another session. */
export class Http2Pool {
  readonly #clock: Clock;
  readonly #network: Pick<Network, "dial">;
  readonly #sessions = new Map<string, PooledSession[]>();
  readonly #stopPulse: () => void;
  #isClosed = false;

  constructor(clock: Clock, network: Pick<Network, "dial">) {
    this.#clock = clock;
    this.#network = network;
    this.#stopPulse = clock.every(PING_EVERY_MS, () => {
      for (const sessions of this.#sessions.values()) for (const pooled of sessions) pooled.pulse();
    });
  }

  get size(): number {
    let size = 0;
    for (const sessions of this.#sessions.values()) size += sessions.length;
    return size;
  }

  /** Opens a stream on a session that is ready and has room, if any, for `RunOpener.openNow`. */
  openNow({ account, origin, headers }: StreamRequest): ClientHttp2Stream | undefined {
    return this.#isClosed ? undefined : this.#find(keyOf(account, origin))?.request(headers);
  }

  /** Opens a stream on a session with room, or on a new one. @throws GatewayError, Http2Refused where HTTP/2 is not spoken */
  async open({ account, origin, headers }: StreamRequest): Promise<ClientHttp2Stream> {
    const key = keyOf(account, origin);
    // A session may fill up or fail while we wait for another one to connect.
    for (;;) {
      if (this.#isClosed) throw stopping();
      const pooled = this.#find(key) ?? this.#connect(key, origin);
      await pooled.ready;
      const stream = pooled.hasRoom ? pooled.request(headers) : undefined;
      if (stream !== undefined) return stream;
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
    const onGone = () => {
      const left = this.#sessions.get(key)?.filter((other) => other !== pooled) ?? [];
      if (left.length > 0) this.#sessions.set(key, left);
      else this.#sessions.delete(key);
    };
    const pooled = new PooledSession({ origin, clock: this.#clock, network: this.#network, onGone });
    this.#sessions.set(key, [...(this.#sessions.get(key) ?? []), pooled]);
    return pooled;
  }
}

function keyOf(account: string, origin: string): string {
  return `${account} ${origin}`;
}
