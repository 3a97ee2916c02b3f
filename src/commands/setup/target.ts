import { z } from "zod";
import { localUrl } from "../../app/start/listen.js";
import { didYouMean } from "../../closest.js";
import type { Settings } from "../../config/settings.js";
import type { Client, Target } from "../../setup/client.js";
import { clients, findClient } from "../../setup/clients.js";
import { trimEndOf } from "../../turn/trim-end-of.js";
import { CommandFailure } from "../line/command-failure.js";

/** A gateway that has no list yet asks Cursor for it first. */
const ANSWER_MS = 3_000;
/** What Cursor's models have when nobody says more of them. */
const USUAL_CONTEXT_TOKENS = 200_000;

const ListedModel = z.looseObject({ context_window: z.int().positive().optional() });

/** The flags that say what a client is pointed at. A key is none of them: the command line can be read by others. */
export const targetArgs = {
  url: { type: "string", description: "Where the gateway is, if not where the settings put it", valueHint: "url" },
  model: { type: "string", description: "The model that the client asks for (auto)", valueHint: "name" },
} as const;

/** Where a client is pointed at, and for which model. How much that reads, the gateway has to say. */
export type SetupRequest = Omit<Target, "contextTokens">;

/** What was asked for, or else what the gateway's own settings say. */
export function targetFrom(
  args: Readonly<Record<string, unknown>>,
  { host, port, key }: Pick<Settings, "host" | "port" | "key">,
): SetupRequest {
  const model = typeof args.model === "string" ? args.model : "auto";
  if (!/^[^\s\p{Control}"'\\]{1,200}$/u.test(model))
    throw new CommandFailure(2, "--model must be the name of a model.");
  return {
    url: typeof args.url === "string" ? gatewayUrl(args.url) : localUrl(host, port),
    model,
    key,
  };
}

/** Adds how much the model reads, which the gateway has from Cursor's list: a client would guess. `isKnown` if it has said so. */
export async function withContext(wish: SetupRequest): Promise<{ target: Target; isKnown: boolean }> {
  const contextTokens = await askGateway(wish);
  const isKnown = contextTokens !== undefined;
  return { target: { ...wish, contextTokens: contextTokens ?? USUAL_CONTEXT_TOKENS }, isKnown };
}

async function askGateway({ url, model, key }: SetupRequest): Promise<number | undefined> {
  try {
    const reply = await fetch(`${url}/v1/models/${encodeURIComponent(model)}`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: "error",
    });
    return reply.ok ? ListedModel.parse(await reply.json()).context_window : undefined;
  } catch {
    return undefined; // none is running, or it is not ours: the client can be set up all the same
  }
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
