import type { HttpBindings } from "@hono/node-server";
import type { Clock } from "../../clock.js";
import type { ErrorCode, GatewayError } from "../../turn/error.js";

/** What the log will say about one request. It is filled in while the request is served. */
export interface RequestRecord {
  readonly requestId: string;
  readonly startedMs: number;
  model?: string;
  backend?: string;
  continuity?: string;
  warnings?: readonly string[];
  stream?: boolean;
  firstByteMs?: number | undefined;
  bytes: number;
  batches: number;
  /** Only set if the answer went out on the raw response. */
  status?: number;
  /** The request whose reply this one has joined. */
  joined?: string;
  /** The reply that is made in the background for this request. */
  background?: string;
  outcome: "ok" | "client-left" | ErrorCode;
  error?: GatewayError;
}

export interface ServerEnv {
  Bindings: HttpBindings;
  Variables: { record: RequestRecord };
}

export function newRecord(requestId: string, clock: Clock): RequestRecord {
  return { requestId, startedMs: clock.now(), bytes: 0, batches: 0, outcome: "ok" };
}
