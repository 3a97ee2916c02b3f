import { z } from "zod";
import { localUrl } from "../../app/start/listen.js";
import { didYouMean } from "../../closest.js";
import type { Settings } from "../../config/settings.js";
import { type Client, type Target, USUAL_CONTEXT_TOKENS } from "../../setup/client.js";
import { clients, findClient } from "../../setup/clients.js";
import { trimEndOf } from "../../turn/trim-end-of.js";
import { CommandFailure } from "../line/command-failure.js";

/** A gateway that has no list yet asks Cursor for it first. */
const ANSWER_MS = 3_000;

const ListedModel = z.looseObject({ context_window: z.int().positive().optional() });

/** The flags that say what a client is pointed at. The key is not a flag, because others can read command lines. */
export const targetArgs = {
  url: { type: "string", description: "Where the gateway is, if not where the settings put it", valueHint: "url" },
  model: { type: "string", description: "The model that the client asks for (auto)", valueHint: "name" },
} as const;

/** The gateway and the model for a client. The gateway still has to report the size of the model's context. */
export type SetupRequest = Omit<Target, "contextTokens">;

/**
 * The target of the flags, or else of the gateway's own settings.
 *
 * @throws {CommandFailure} `--url` or `--model` cannot be used.
 */
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

/**
 * Adds the size of the model's context, which the gateway knows from Cursor's list; a client would guess it. `isKnown` is false
 * if the gateway did not report it.
 */
export async function withContext(requested: SetupRequest): Promise<{ target: Target; isKnown: boolean }> {
  const contextTokens = await askGateway(requested);
  const isKnown = contextTokens !== undefined;
  return { target: { ...requested, contextTokens: contextTokens ?? USUAL_CONTEXT_TOKENS }, isKnown };
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
    return undefined; // none is running, or it is another program: the client can still be set up
  }
}

/** @throws {CommandFailure} There is no such client; the message suggests names. */
export function clientNamed(name: string): Client {
  const client = findClient(name);
  if (client !== undefined) return client;
  const names = clients.map((each) => each.name);
  const hint = didYouMean(name, names) || ` Available: ${names.join(", ")}.`;
  throw new CommandFailure(2, `Unknown client ${JSON.stringify(name)}.${hint}\nSee: curlew setup`);
}

/** The address with or without `/v1`; users may paste either. */
function gatewayUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "";
  if (!isUsable) throw new CommandFailure(2, "--url must be an address such as http://127.0.0.1:32124");
  return trimEndOf(`${url.origin}${url.pathname}`, "/").replace(/\/v1$/, "");
}
