import type { Constants } from "../../config/constants.js";
import { settingsOf } from "../embedded-settings.js";
import type { GatewayOptions } from "../gateway-options.js";
import { startServer } from "./start-server.js";

/**
 * What `startGateway` does, which hands in no constants.
 *
 * @throws {SettingsError} An option, or what stands in the environment or in curlew.json, cannot be used.
 * @throws {StartError} There is no credential, no gateway key for a public address, or the port cannot be opened.
 */
export async function startEmbedded(options: GatewayOptions, constants?: Partial<Constants>) {
  const { settings, warnings, named } = settingsOf(options);
  const server = await startServer(settings, { orSimulate: false, warnings, named, constants });
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
