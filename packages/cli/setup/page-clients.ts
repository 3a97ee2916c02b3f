import { isAbsolute, join } from "node:path";
import { yieldToOthers } from "@curlew/gateway/system/clock.js";
import type { Machine } from "@curlew/gateway/system/machine.js";
import type { ClientsAnswer, PageClient, SeenClient } from "@curlew/page/access/contract.js";
import { PLAYGROUND } from "@curlew/page/access/index.js";
import type { ClientsQuestion } from "@curlew/page/views/index.js";
import { assumedModel, type Client, type Target, targetOf, USUAL_CONTEXT_TOKENS } from "./client.js";
import { clients } from "./clients.js";
import { editedText } from "./edited-text.js";

/** Placeholder: the page never learns a key. */
const YOUR_KEY = "YOUR_KEY";
/** Default address of `curlew setup`. */
const USUAL_URL = /^http:\/\/(?:127\.0\.0\.1|localhost):32124$/;
const MAX_OTHERS = 50;

/** How each client is set up, and when it was last seen. Yields between clients, because building each settings file takes time. */
export async function listClients(question: ClientsQuestion): Promise<ClientsAnswer> {
  const { url, asksForKey, contextTokens, machine, seen } = question;
  const auto = { ...assumedModel("auto"), contextTokens: contextTokens ?? USUAL_CONTEXT_TOKENS };
  const target = targetOf({ url, key: asksForKey ? YOUR_KEY : undefined }, auto);
  const listed: PageClient[] = [];
  for (const client of clients) {
    await yieldToOthers();
    listed.push(pageClient(client, target, machine, seen));
  }
  return {
    baseUrls: { openai: `${url}/v1`, anthropic: url },
    asksForKey,
    clients: listed,
    others: seen
      .filter(({ name }) => name !== PLAYGROUND && !clients.some((client) => client.name === name))
      .slice(0, MAX_OTHERS)
      .map(({ name, ...rest }) => ({ name: name === "" ? "unknown" : name, ...rest })),
  };
}

function pageClient(client: Client, target: Target, machine: Machine, seen: readonly SeenClient[]): PageClient {
  const { name, title, isProven, launch } = client;
  const address = USUAL_URL.test(target.url) ? "" : ` --url ${target.url}`;
  const here = seen.find((each) => each.name === name);
  return {
    name,
    title,
    isProven,
    setup: `curlew setup ${name}${address}`,
    run: launch === undefined ? null : `curlew run ${name}${address}`,
    snippet: snippetOf(client, target, machine),
    notes: [...(client.savings ?? []), ...client.notes(target)],
    lastSeenMs: here?.lastSeenMs ?? null,
    requests: here?.requests ?? 0,
  };
}

/** The settings as a new file: the page must not show the owner's own files. */
function snippetOf({ file }: Client, target: Target, machine: Machine): PageClient["snippet"] {
  if (file === undefined) return null;
  const paths = file.paths(machine);
  const path = paths.find((each) => isAbsolute(each)) ?? paths[0] ?? "";
  const text = editedText("", file.format, file.wanted(target));
  return { path: shortPath(path, machine), text };
}

/** `~/.claude/settings.json` */
function shortPath(path: string, { homeDirectory, platform }: Machine): string {
  const home = join(homeDirectory, "/");
  return platform !== "win32" && path.startsWith(home) ? `~/${path.slice(home.length)}` : path;
}
