import { settingsOf } from "./app/embedded-settings.js";
import type { GatewayOptions } from "./app/gateway-options.js";
import { startServer } from "./app/start/start-server.js";

export type { GatewayOptions } from "./app/gateway-options.js";
export { StartError, type StartErrorCode } from "./app/prepare/start-error.js";
export { SettingsError } from "./config/settings-error.js";

export interface RunningGateway {
  /** Where the gateway listens: `http://127.0.0.1:49152`. OpenAI clients want `/v1` after it. */
  readonly url: string;
  /** The same as `url`. */
  readonly baseURL: string;
  /** Accepts no new requests, lets running answers finish for `graceMs`, then ends them with a clean error. */
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
export async function startGateway(options: GatewayOptions = {}): Promise<RunningGateway> {
  const server = await startServer(settingsOf(options), { orSimulate: false });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= server.stop(new AbortController().signal);
    return closing;
  };
  await server.ready.catch(async (failure: unknown) => {
    await close();
    throw failure;
  });
  return { url: server.url, baseURL: server.url, close, stop: close };
}
