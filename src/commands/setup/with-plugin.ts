import { realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Client } from "../../setup/client.js";
import { CommandFailure } from "../line/command-failure.js";

/** @throws {CommandFailure} There is no plugin for this client. */
export function withPlugin(client: Client): Client {
  if (client.withPlugin === undefined) {
    throw new CommandFailure(2, `There is no plugin for ${client.title}. Run: curlew setup ${client.name}`);
  }
  // Beside the program that runs, because a package of this name may not be Curlew's.
  return client.withPlugin(new URL("opencode", pathToFileURL(realpathSync(process.argv[1] ?? ""))));
}
