import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readPrivateFile, writePrivateFile } from "@curlew/gateway/account/stores/private-file.js";
import { OUTPUT_TOKENS, USUAL_CONTEXT_TOKENS } from "@curlew/gateway/models/assumed-limits.js";
import { type Machine, thisMachine } from "@curlew/gateway/system/machine.js";
import { z } from "zod";
import { isNewEnough, oldestNode, version } from "../app/version.js";
import { loadSettings } from "../config/load.js";

export const PROVIDER = "cursor";
export const PROVIDER_NAME = "Cursor (Curlew)";

/** The gateway of one plugin: one that already runs, or one that is started for it. */
export class PluginGateway {
  #spawned: Awaited<ReturnType<typeof spawnGateway>> | undefined;

  async find(): Promise<GatewayAddress> {
    const { settings, configFile } = loadSettings();
    const { port, key } = settings;
    const running = { url: `http://127.0.0.1:${port}`, key };
    if (await isUsable(running)) return running;
    const ownKeyFile = join(dirname(configFile), "opencode-key");
    const script = besidePlugin("../chunks/gateway-child.js");
    this.#spawned = await spawnGateway(script, key ?? ownKey(ownKeyFile));
    return this.#spawned;
  }

  async close(): Promise<void> {
    await this.#spawned?.close();
    this.#spawned = undefined;
  }
}

/** A file of the package, from the folder of the built plugin (`dist/opencode`). */
export function besidePlugin(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

interface GatewayAddress {
  readonly url: string;
  readonly key: string | undefined;
}

const FIND_MS = 1_000;
const Health = z.looseObject({ status: z.literal("ok"), version: z.literal(version), backend: z.string() });

/** Whether a gateway of this version runs there, uses the real Cursor, and accepts our key. */
async function isUsable({ url, key }: GatewayAddress): Promise<boolean> {
  const signal = AbortSignal.timeout(FIND_MS);
  try {
    const health = Health.safeParse(await (await fetch(`${url}/health`, { signal })).json());
    if (!health.success || health.data.backend === "simulator") return false;
    const models = await fetch(`${url}/v1/models`, { headers: keyHeader(key), signal });
    await models.body?.cancel();
    return models.ok;
  } catch {
    return false; // nothing listens there, or another program does
  }
}

function keyHeader(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

/** Node if there is one, since Curlew is made for it; otherwise the Bun inside OpenCode. */
export async function findRuntime() {
  const { env } = thisMachine();
  const found = await nodeVersion(env);
  if (found !== undefined && isNewEnough(found)) return { command: "node", env };
  if (process.versions.bun !== undefined) return { command: process.execPath, env: { ...env, BUN_BE_BUN: "1" } };
  const why = found === undefined ? "No node was found on the PATH." : `The node on the PATH is ${found.trim()}.`;
  throw new Error(`${why} Curlew needs Node ${oldestNode} or newer: install it, then start OpenCode again.`);
}

function nodeVersion(env: Machine["env"]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile("node", ["--version"], { env, windowsHide: true, timeout: 10_000 }, (failure, stdout) =>
      resolve(failure === null ? stdout : undefined),
    );
  });
}

const START_MS = 30_000;

/** Starts a gateway on a free port that requires our key and ends with this OpenCode. Fails with the gateway's own message. */
async function spawnGateway(script: string, key: string) {
  const { command, env } = await findRuntime();
  const child = spawn(command, [script], {
    env: { ...env, CURLEW_KEY: key },
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  const ended = once(child, "close").catch(() => undefined);
  child.stdin.on("error", () => {}); // the process may have ended by itself
  const close = async () => {
    child.stdin.end();
    await ended;
  };
  try {
    const line = await Promise.race([
      once(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(START_MS) }).then(String),
      once(child, "error").then(([failure]) => Promise.reject(failure)),
      ended.then(() => '{"error":"Curlew exited without a message. Try: curlew doctor"}'),
    ]);
    const { url, error }: { url?: string; error?: string } = JSON.parse(line);
    if (url === undefined) throw new Error(error);
    // OpenCode must be able to end while the gateway runs: the closed pipe ends it too.
    child.unref();
    return { url, key, close };
  } catch (failure) {
    child.kill();
    throw failure;
  }
}

/** The key of such a gateway. It is the same at every start, because conversations belong to the key they began with. */
export function ownKey(file: string): string {
  const kept = readPrivateFile(file, process.platform);
  // A key that others may have read is replaced.
  if (kept !== undefined && !kept.isOpen && kept.text.trim() !== "") return kept.text.trim();
  const key = randomBytes(24).toString("base64url");
  writePrivateFile(file, `${key}\n`);
  return key;
}

const LIST_MS = 30_000;
const NO_KEY = "curlew-opencode";

const ListedModel = z.looseObject({
  id: z.string(),
  name: z.string(),
  context_window: z.number().optional(),
  max_mode_context_window: z.number().optional(),
  reasoning: z.boolean().default(false),
  attachment: z.boolean().default(false),
  efforts: z.array(z.string()).default([]),
});
const ModelList = z.looseObject({ data: z.array(ListedModel) });
const Refusal = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** Without zod's types, because users of the plugin's types may not have zod. */
export interface OfferedModel {
  readonly id: string;
  readonly name: string;
  readonly reasoning: boolean;
  readonly attachment: boolean;
  readonly reads: readonly string[];
  readonly efforts: readonly string[];
  /** In tokens. */
  readonly limit: { readonly context: number; readonly output: number };
}

export interface Offer {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly models: readonly OfferedModel[];
}

/** Nothing ever listens there. Clients want a key even if the gateway has none. */
export const nowhere = { baseURL: "http://127.0.0.1:9/v1", apiKey: NO_KEY };

export async function findOffer(gateway: PluginGateway): Promise<Offer> {
  const { url, key } = await gateway.find();
  const response = await fetch(`${url}/v1/models`, { headers: keyHeader(key), signal: AbortSignal.timeout(LIST_MS) });
  const body: unknown = await response.json();
  const refusal = Refusal.safeParse(body);
  if (refusal.success) throw new Error(refusal.data.error.message);
  return { baseURL: `${url}/v1`, apiKey: key ?? NO_KEY, models: offeredModels(body) };
}

/** Max mode becomes a separate model for OpenCode, since its context is larger. */
export function offeredModels(list: unknown): OfferedModel[] {
  return ModelList.parse(list).data.flatMap((model) => {
    const { id, name, context_window = USUAL_CONTEXT_TOKENS, max_mode_context_window: inMaxMode } = model;
    const usual = offered(model, id, name, context_window);
    return inMaxMode === undefined ? [usual] : [usual, offered(model, `${id}:max`, `${name} (max mode)`, inMaxMode)];
  });
}

function offered(model: z.infer<typeof ListedModel>, id: string, name: string, context: number): OfferedModel {
  const { reasoning, attachment, efforts } = model;
  const reads = attachment ? ["text", "image", "pdf"] : ["text"];
  const limit = { context, output: Math.min(OUTPUT_TOKENS, context) };
  return { id, name, reasoning, attachment, reads, efforts, limit };
}
