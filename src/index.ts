import { startServer } from "./app/start/start-server.js";
import { loadSettings } from "./config/load.js";
import type { Settings } from "./config/settings.js";

/** Any setting. What is not given comes from the environment or curlew.json, but for address and port. */
export interface GatewayOptions extends Partial<Settings> {
  /** Settings file instead of the one in Curlew's folder. */
  configFile?: string;
  /** Folder of Curlew's own files, instead of `CURLEW_HOME`. */
  home?: string;
}

export interface RunningGateway {
  /** Where it listens: `http://127.0.0.1:49152`. OpenAI clients want `/v1` after it. */
  readonly url: string;
  /** The same as `url`. */
  readonly baseURL: string;
  /** Takes no new requests, lets running answers finish for `graceMs`, then ends them with a clean error. */
  close(): Promise<void>;
  /** The same as `close`. */
  stop(): Promise<void>;
}

/**
 * Runs the gateway inside another program. It listens on loopback and, because `HOST` and `PORT` belong to that program,
 * on any free port unless `options` names one.
 */
export async function startGateway({ configFile, home, ...options }: GatewayOptions = {}): Promise<RunningGateway> {
  const { settings } = loadSettings({
    given: { port: 0, ...options },
    givenOnly: ["host", "port"],
    callGiven: (name) => `options.${name}`,
    configFile,
    home,
  });
  const server = await startServer(settings, { orSimulate: false });
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
