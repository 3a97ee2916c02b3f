import { localUrl } from "../../app/start/listen.js";
import { didYouMean } from "../../closest.js";
import type { Settings } from "../../config/settings.js";
import type { Client, Target } from "../../setup/client.js";
import { clients, findClient } from "../../setup/clients.js";
import { trimEndOf } from "../../turn/trim-end-of.js";
import { CommandFailure } from "../line/command-failure.js";

/** The flags that say what a client is pointed at. A key is none of them: the command line can be read by others. */
export const targetArgs = {
  url: { type: "string", description: "Where the gateway is, if not where the settings put it", valueHint: "url" },
  model: { type: "string", description: "The model that the client asks for (auto)", valueHint: "name" },
} as const;

/** Where a client is pointed at, and for which model. How much that reads, the gateway has to say: `withContext`. */
export type Wish = Omit<Target, "contextTokens">;

/** What was asked for, or else what the gateway's own settings say. */
export function targetFrom(
  args: Readonly<Record<string, unknown>>,
  { host, port, key }: Pick<Settings, "host" | "port" | "key">,
): Wish {
  const model = typeof args.model === "string" ? args.model : "auto";
  if (!/^[^\s\p{Control}"'\\]{1,200}$/u.test(model))
    throw new CommandFailure(2, "--model must be the name of a model.");
  return {
    url: typeof args.url === "string" ? gatewayUrl(args.url) : localUrl(host, port),
    model,
    key,
  };
}

export function clientNamed(name: string): Client {
  const client = findClient(name);
  if (client !== undefined) return client;
  const names = clients.map((each) => each.name);
  const hint = didYouMean(name, names) || ` Known are: ${names.join(", ")}.`;
  throw new CommandFailure(2, `Nothing is known about a client ${JSON.stringify(name)}.${hint}\nSee: curlew setup`);
}

/** With or without `/v1`, as people have it at hand. */
function gatewayUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "";
  if (!isUsable) throw new CommandFailure(2, "--url must be an address such as http://127.0.0.1:32124");
  return trimEndOf(`${url.origin}${url.pathname}`, "/").replace(/\/v1$/, "");
}
