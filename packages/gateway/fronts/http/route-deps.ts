import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Account, Caller, Gateway } from "../../core/index.js";
import type { Clock } from "../../system/clock.js";
import type { Front } from "../front.js";
import type { KeepAlive } from "./body-stream.js";
import type { BackgroundReplies } from "./rejoin/background-replies.js";
import type { RunningReplies } from "./rejoin/running-replies.js";
import type { RequestMemory } from "./request-memory.js";

/** The part of a logger that the client side needs: fields first, then a constant text. */
export interface RequestLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface RouteDeps {
  /** Gateway id carried by every event about a request. */
  readonly gatewayId: string;
  readonly gateway: Gateway;
  /** All fronts, to find the one that a request was meant for. The first takes what no other claims. */
  readonly fronts: readonly Front<unknown>[];
  readonly clock: Clock;
  readonly keepAlive: KeepAlive;
  readonly newId: () => string;
  readonly bodyLimitBytes: number;
  readonly memory: RequestMemory;
  /** Parses the JSON of a body, of which an owner may have sent the beginning before. */
  readonly parseBody: (bytes: Buffer, owner: string) => unknown;
  readonly rejoinMs: number;
  readonly replies: RunningReplies;
  readonly background: BackgroundReplies;
  readonly log: RequestLog;
  /** The caller of a request. Also called for each message of a WebSocket, which passes no guard. */
  readonly callerOf: (incoming: Pick<IncomingMessage, "headers" | "socket">) => Caller;
  /** The account of a request, if requests may bring their own credentials. */
  readonly accountOf?: ((headers: IncomingHttpHeaders) => Account | undefined) | undefined;
  readonly warnOf?: ((headers: IncomingHttpHeaders) => readonly string[]) | undefined;
  /** The name of the backend for people, if it differs from the backend's own name. */
  readonly backend?: string | undefined;
}
