import type { GatewayOptions } from "./app/gateway-options.js";
import { startEmbedded } from "./app/start/start-embedded.js";

export type {
  AbandonedRun,
  CacheMissCause,
  EventMessage,
  EventName,
  FailedAttempt,
  LimitNotice,
  Pause,
  RequestRecord,
  TokenRenewal,
} from "@curlew/gateway/turn/events/channels.js";
export type { GatewayOptions } from "./app/gateway-options.js";
export { StartError, type StartErrorCode } from "./app/prepare/start-error.js";
export { SettingsError } from "./config/settings-error.js";

export interface RunningGateway {
  /** Where the gateway listens: `http://127.0.0.1:49152`. OpenAI clients want `/v1` after it. */
  readonly url: string;
  /** The same as `url`. */
  readonly baseURL: string;
  /** Accepts no new requests, lets running answers finish for 10 seconds, then ends them with a clean error. */
  close(): Promise<void>;
  /** The same as `close`. */
  stop(): Promise<void>;
}

/**
 * Runs the gateway inside another program. It listens on loopback and, because `HOST` and `PORT` belong to that program, on any
 * free port unless `options` names one.
 *
 * @throws {SettingsError} An option, or a value in the environment or in curlew.json, cannot be used.
 * @throws {StartError} There is no credential, no gateway key for a public address, or the port cannot be opened.
 */
export function startGateway(options: GatewayOptions = {}): Promise<RunningGateway> {
  return startEmbedded(options);
}
