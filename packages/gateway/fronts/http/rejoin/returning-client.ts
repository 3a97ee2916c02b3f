import { hash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isLoopback } from "../../../network/loopback.js";

/** Headers other than the body's that change what a request means. */
const MEANING_HEADERS = ["x-curlew-workspace", "anthropic-version", "anthropic-beta"];
const MAX_KEY_CHARS = 256;

/** A request whose client may repeat it to get the rest of the same reply. */
export interface ReturningClient {
  /** Requests are equal if they have the same owner, address and body. */
  readonly identity: string;
  readonly owner: string;
  /** The client's own name for this request and its repetitions. */
  readonly key: string | undefined;
  /** How often the client has sent this request before, by its own count. */
  readonly retries: number;
  /** How long its reply keeps running without a reader. */
  readonly graceMs: number;
}

type Arrived = Pick<IncomingMessage, "headers" | "url"> & {
  readonly socket: Pick<IncomingMessage["socket"], "remoteAddress" | "localAddress">;
};

export type Identifier = (body: Buffer) => ReturningClient;

/**
 * Undefined if the client cannot reconnect: then nothing is hashed and nothing is recorded. That is a client on this machine,
 * where a closed socket is an abort, unless it sends an idempotency key.
 */
export function identifierOf(
  incoming: Arrived,
  whose: readonly (string | undefined)[],
  rejoinMs: number,
): Identifier | undefined {
  const { headers, url = "" } = incoming;
  const graceMs = isFromElsewhere(incoming) ? rejoinMs : 0;
  const { "idempotency-key": named } = headers;
  const key = typeof named === "string" && named !== "" && named.length <= MAX_KEY_CHARS ? named : undefined;
  if (graceMs === 0 && key === undefined) return undefined;
  const owner = ownerOf(whose);
  return (body) => {
    const meaning = [owner, url, hash("sha256", body), ...MEANING_HEADERS.map((name) => headers[name] ?? null)];
    return { identity: JSON.stringify(meaning), owner, key, retries: readRetries(headers), graceMs };
  };
}

/** @param whose the account and the gateway key of a request */
export function ownerOf(whose: readonly (string | undefined)[]): string {
  return JSON.stringify(whose);
}

/** A reverse proxy on this machine sends forwarding headers; a local client has no reason to. */
function isFromElsewhere({ socket, headers }: Arrived): boolean {
  if (headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined) return true;
  const { remoteAddress, localAddress } = socket;
  return remoteAddress !== undefined && remoteAddress !== localAddress && !isLoopback(remoteAddress);
}

/** The official packages of both vendors count their attempts here, from 0. */
function readRetries(headers: IncomingHttpHeaders): number {
  const count = headers["x-stainless-retry-count"];
  return typeof count === "string" && /^\d{1,4}$/.test(count) ? Number(count) : 0;
}
