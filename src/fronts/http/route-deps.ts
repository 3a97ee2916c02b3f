import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../clock.js";
import type { Account, Gateway } from "../../gateway/index.js";
import type { KeepAlive } from "./keep-alive.js";
import type { RequestMemory } from "./request-memory.js";

export interface RouteDeps {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly keepAlive: KeepAlive;
  readonly newId: () => string;
  readonly bodyLimitBytes: number;
  readonly memory: RequestMemory;
  /** Names the gateway key that every request here has shown. */
  readonly caller: string;
  /** The account that a request brings, where requests may bring their own. */
  readonly accountOf?: ((headers: IncomingHttpHeaders) => Account | undefined) | undefined;
  /** What to tell a client about the headers of its request. */
  readonly warnOf?: ((headers: IncomingHttpHeaders) => readonly string[]) | undefined;
  /** What to call the backend to people, where that is not its own name. */
  readonly backend?: string | undefined;
}
