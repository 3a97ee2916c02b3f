import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { emptyMachine, mainFile } from "../testing/programs/curlew-process.js";
import { openSimulator } from "../testing/simulator/strict-simulator.js";

const host = fileURLToPath(new URL("../testing/programs/opencode-2-host.js", import.meta.url));
const pluginFolder = join(dirname(mainFile), "opencode");

interface Provider {
  readonly name: string;
  readonly settings: { readonly baseURL: string; readonly apiKey: string };
  readonly models: Record<string, { name: string; limit: { context: number }; variants: { id: string }[] }>;
}

interface Loaded {
  readonly id?: string;
  readonly chosen?: unknown;
  readonly reloads?: readonly string[];
  readonly providers?: Readonly<Record<string, Provider>>;
}

interface LoadOptions {
  readonly kind?: string;
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
}

/** Loads the built plugin in a loader that imitates OpenCode 2. */
async function load({ kind = "provider", settings = {}, env = {} }: LoadOptions) {
  // Nothing ever listens on this port.
  const child = spawn(process.execPath, [host, pluginFolder, kind, JSON.stringify(settings)], {
    env: { ...emptyMachine(), PORT: "9", ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? "{}");
  const loaded: Loaded = await next();
  return {
    loaded,
    log: () => log,
    async unload(): Promise<{ unloaded?: boolean }> {
      const ended = once(child, "close");
      child.stdin.end();
      const last = await next();
      await ended;
      return last;
    },
  };
}

async function account() {
  const simulator = await openSimulator();
  return { CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_plugin" };
}

function ask({ baseURL, apiKey }: Provider["settings"]): Promise<Response> {
  return postJson(
    `${baseURL}/chat/completions`,
    { model: "auto", messages: [{ role: "user", content: "[[say From the plugin.]]" }] },
    { authorization: `Bearer ${apiKey}` },
  );
}

describe("the plugin in OpenCode 2", () => {
  it("registers the account's models", async () => {
    const { loaded, unload } = await load({ env: await account() });
    expect(loaded).toMatchObject({
      id: "curlew",
      reloads: ["provider", "model"],
      chosen: { providerID: "cursor", modelID: "auto" },
      providers: {
        cursor: {
          name: "Cursor (Curlew)",
          package: "aisdk:@ai-sdk/openai-compatible",
          activation: "enabled",
          models: { auto: { capabilities: { tools: true }, limit: { context: 200_000 } } },
        },
      },
    });
    const models = loaded.providers?.cursor?.models ?? {};
    expect(models["claude-opus-4-8-high"]?.variants).toContainEqual({
      id: "low",
      settings: { reasoningEffort: "low" },
    });
    expect(models["claude-opus-4-8-high:max"]?.limit.context).toBe(1_000_000);
    expect(await unload()).toEqual({ unloaded: true });
  });

  it("answers through a gateway that ends with the plugin", async () => {
    const { loaded, unload } = await load({ env: await account() });
    const settings = loaded.providers?.cursor?.settings ?? { baseURL: "", apiKey: "" };
    expect(await (await ask(settings)).text()).toContain("From the plugin.");
    await unload();
    await expect(ask(settings)).rejects.toThrow("fetch failed");
  });

  it("keeps what the user has configured for the provider", async () => {
    const mine = {
      name: "Mine",
      activation: "disabled",
      settings: { timeout: 5 },
      models: { auto: { name: "My auto" } },
    };
    const { loaded } = await load({ settings: { cursor: mine }, env: await account() });
    const { models = {}, ...provider } = loaded.providers?.cursor ?? {};
    expect(provider).toMatchObject({ name: "Mine", activation: "disabled", settings: { timeout: 5 } });
    expect(models.auto?.name).toBe("My auto");
    expect(Object.keys(models).length).toBeGreaterThan(1);
  });

  it("shows what to do without a credential", async () => {
    const env = { ...(await account()), CURSOR_API_KEY: "" };
    const { loaded, log, unload } = await load({ env });
    const models = Object.values(loaded.providers?.cursor?.models ?? {});
    expect(models.map(({ name }) => name)).toEqual([
      "Curlew is not ready: run `curlew login`, then start OpenCode again",
    ]);
    await unload();
    expect(log()).toContain("curlew doctor");
  });

  it("logs a warning and registers nothing where providers cannot be edited", async () => {
    const { loaded, log, unload } = await load({ kind: "older" });
    expect(loaded).toEqual({ id: "curlew", reloads: [], providers: {} });
    expect(await unload()).toEqual({ unloaded: false });
    expect(log()).toContain("does not know this version of OpenCode");
  });
});
