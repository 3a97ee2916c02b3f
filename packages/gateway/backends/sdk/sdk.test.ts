import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startContext, userTurn } from "../../../../testing/backends/scripted/index.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { isRunning } from "../../../../testing/programs/is-running.js";
import { installNewNode } from "../../../../testing/programs/new-node.js";
import { sampleProfile } from "../../../../testing/samples/sample-profile.js";
import { systemClock } from "../../system/clock.js";
import { collect, type TurnResult } from "../../turn/collect.js";
import { GatewayError } from "../../turn/error.js";
import type { Turn } from "../../turn/turn.js";
import type { Backend, Exchange, StartContext } from "../backend.js";
import { createSdkBackend, type SdkBackendDeps, type SdkSettings } from "./index.js";

const fallbackModel = new URL("../../../../testing/programs/fake-sdk.js", import.meta.url).href;
const limits = { startMs: 60_000, pingMs: 50, hungMs: 60_000, maxTurns: 200 };

const SECRET = "of ours";
const ownHome = "/home/of/the/owner";
let stateFolder: string;
let folder: string;
let node: string;
let made: Backend[] = [];

beforeEach(() => {
  stateFolder = mkdtempSync(join(tmpdir(), "curlew-sdk-test-"));
  folder = join(stateFolder, "sdk");
  node = installNewNode(stateFolder);
});
afterEach(async () => {
  await Promise.all(made.map((backend) => backend.close()));
  made = [];
  rmSync(stateFolder, { recursive: true, force: true });
});

function locate(module: string): NonNullable<SdkBackendDeps["locate"]> {
  return async () => ({ node, nodeVersion: process.versions.node, module });
}

/** A module in place of the SDK's. */
function moduleOf(code: string): string {
  const file = join(stateFolder, "module.mjs");
  writeFileSync(file, code);
  return pathToFileURL(file).href;
}

function sdkBackend(
  changes: Partial<SdkBackendDeps> = {},
  stallMs = 300_000,
  [apiKey]: readonly (string | undefined)[] = ["crsr_secret_key"],
): Backend {
  const settings: SdkSettings = {
    sdkPath: undefined,
    sdkNode: undefined,
    backendUrl: "http://127.0.0.1:1",
    profile: sampleProfile,
    stateFolder,
    stateMaxDays: 1,
    stallMs,
    quietMs: 20,
  };
  const env = { PATH: process.env.PATH, HOME: ownHome, XDG_CONFIG_HOME: ownHome, SECRET };
  const deps: SdkBackendDeps = {
    settings,
    machine: { env, platform: process.platform, homeDirectory: ownHome },
    locate: locate(fallbackModel),
    clock: systemClock,
    limits,
    ...changes,
  };
  const backend = createSdkBackend(deps, apiKey);
  made.push(backend);
  return backend;
}

function start(
  backend: Backend,
  text: string,
  turn: Omit<Partial<Turn>, "messages"> = {},
  context: Partial<StartContext> = {},
): Exchange {
  return backend.start(userTurn(text, turn), startContext(context));
}

async function ask(backend: Backend, text: string, turn: Omit<Partial<Turn>, "messages"> = {}): Promise<TurnResult> {
  return collect(start(backend, text, turn).events());
}

/** Keeps an error that is not awaited yet from counting as unhandled. */
function failureOf(exchange: Exchange): Promise<GatewayError> {
  return collect(exchange.events()).then(
    () => expect.unreachable("the reply did not fail"),
    (thrown) => thrown,
  );
}

/** Resolves when the reply has text. */
async function untilText(exchange: Exchange): Promise<string> {
  const { value } = await exchange.events()[Symbol.asyncIterator]().next();
  return value?.[0]?.type === "text" ? value[0].delta : "";
}

describe("the SDK's process", () => {
  it("is one for all turns", async () => {
    const backend = sdkBackend();
    const said = await Promise.all(["pid", "pid", "pid"].map((text) => ask(backend, text)));
    expect(new Set(said.map(({ text }) => text)).size).toBe(1);
  });

  it("crashes with one clear error for each open turn, and the next turn gets a new one", async () => {
    const backend = sdkBackend();
    const { text: before } = await ask(backend, "pid");
    const waiting = start(backend, "wait");
    await untilText(waiting);
    const failures = await Promise.all([failureOf(waiting), failureOf(start(backend, "crash"))]);
    for (const error of failures) {
      expect(error).toMatchObject({ code: "upstream_error", isRetryable: true });
      expect(error.message).toMatch(/ended \(exit code 7\): it went wrong with \[redacted\]\. Try again/);
    }
    const { text: after } = await ask(backend, "pid");
    expect(Number(after)).toBeGreaterThan(0);
    expect(after).not.toBe(before);
  });

  it("survives failures in the background", async () => {
    const backend = sdkBackend();
    const { text: pid } = await ask(backend, "pid");
    await ask(backend, "stumble");
    expect((await ask(backend, "pid")).text).toBe(pid);
  });

  it("is ended when it hangs, and the next turn gets a new one", async () => {
    const clock = new ManualClock();
    const backend = sdkBackend({ clock, limits: { ...limits, hungMs: 1_000 } });
    const { text: pid } = await ask(backend, "pid");
    const failed = failureOf(start(backend, "hang"));
    const isGone = () => {
      clock.advance(limits.pingMs);
      return !isRunning(Number(pid));
    };
    await expect.poll(isGone).toBe(true);
    expect(await failed).toMatchObject({ code: "timeout", message: expect.stringContaining("not answered for 1 s") });
    expect((await ask(backend, "pid")).text).not.toBe(pid);
  });

  it("says why the SDK cannot be loaded, and tries again with the next turn", async () => {
    let module = moduleOf("throw new Error('built for another machine')");
    const backend = sdkBackend({ locate: () => locate(module)() });
    await expect(ask(backend, "pid")).rejects.toMatchObject({
      code: "server_error",
      message: expect.stringContaining("built for another machine"),
    });
    module = fallbackModel;
    expect(Number((await ask(backend, "pid")).text)).toBeGreaterThan(0);
  });

  it("says what is missing, and looks again with the next turn", async () => {
    const missing = new GatewayError("server_error", "Cursor's SDK is not installed.");
    const looked = vi.fn(locate(fallbackModel)).mockRejectedValueOnce(missing);
    const backend = sdkBackend({ locate: looked });
    await expect(ask(backend, "pid")).rejects.toBe(missing);
    expect(Number((await ask(backend, "pid")).text)).toBeGreaterThan(0);
  });

  it("is an error when it is not ready in time", async () => {
    const module = moduleOf("setInterval(()=>{},1000);await new Promise(()=>{})");
    const backend = sdkBackend({ locate: locate(module), limits: { ...limits, startMs: 300 } });
    await expect(ask(backend, "pid")).rejects.toMatchObject({ code: "timeout" });
  });

  it("takes a number of turns, and ends with the last of them; later ones, also of its conversations, go to a fresh one", async () => {
    const backend = sdkBackend({ limits: { ...limits, maxTurns: 3 } });
    const pidOf = async () => (await ask(backend, "pid")).text;
    const first = await pidOf();
    const waiting = start(backend, "wait");
    await untilText(waiting);
    expect(await pidOf()).toBe(first);
    const second = await pidOf();
    expect(second).not.toBe(first);
    expect(isRunning(Number(first))).toBe(true);
    waiting.close("client-left");
    await expect.poll(() => isRunning(Number(first))).toBe(false);
    expect(await pidOf()).toBe(second);
  });

  it("uses the SDK's own login without another key, and only for the server that issued it", async () => {
    const home = join(stateFolder, "owner");
    const keep = (backendUrl: string) => {
      mkdirSync(join(home, ".cursor", "sdk"), { recursive: true });
      writeFileSync(join(home, ".cursor", "sdk", "auth.json"), JSON.stringify({ apiKey: "crsr_own", backendUrl }));
    };
    const machine = { env: {}, platform: process.platform, homeDirectory: home };
    const keyBehind = async () =>
      JSON.parse((await ask(sdkBackend({ machine }, 300_000, []), "given")).text).options.apiKey;
    keep("http://127.0.0.1:1");
    expect(await keyBehind()).toBe("crsr_own");
    keep("https://api2.cursor.sh");
    expect(await keyBehind()).toBeUndefined();
  });

  it("ends with the gateway, and its turns with it", async () => {
    const backend = sdkBackend();
    const { text: pid } = await ask(backend, "pid");
    const waiting = start(backend, "wait");
    await untilText(waiting);
    backend.close();
    expect((await failureOf(waiting)).code).toBe("shutting_down");
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
  });

  it("ends by itself when the gateway is gone", async () => {
    const readable = [fileURLToPath(new URL(".", fallbackModel))];
    const open = JSON.stringify({ readable: readable.map((path) => realpathSync(path)), writable: [], hosts: [] });
    const child = fork(new URL("./sdk-child.js", import.meta.url), [fallbackModel, folder, open]);
    await once(child, "message");
    child.disconnect();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("gets the key only in its environment, removes it from there, and gets nothing else of ours", async () => {
    const { text } = await ask(sdkBackend(), "given");
    const { options, argv, env } = JSON.parse(text);
    expect(options.apiKey).toBe("crsr_secret_key");
    expect(JSON.stringify([argv, env])).not.toContain("crsr_secret_key");
    expect(env).toMatchObject({ HOME: join(folder, "home"), CURSOR_BACKEND_URL: "http://127.0.0.1:1" });
    for (const value of [SECRET, process.env.PATH, ownHome]) expect(Object.values(env)).not.toContain(value);
  });
});

describe("a turn", () => {
  it("works in an empty folder, with a store of its own, without settings, retries or tools of the SDK's", async () => {
    const { text } = await ask(sdkBackend(), "given", { system: "You count birds." });
    const { options, store } = JSON.parse(text);
    expect(options).toMatchObject({
      model: { id: "default", params: [] },
      systemPrompt: "You count birds.",
      tools: [],
      local: { cwd: join(folder, "empty"), settingSources: [], enableAgentRetries: false, customTools: {} },
    });
    expect(store).toContain(join(folder, "conversations"));
  });

  it("parks its calls until the client has answered all of them, in any order, images included", async () => {
    const tools = ["left", "right"].map((name) => ({ name, description: "", inputSchema: {} }));
    const exchange = start(sdkBackend(), "call", { tools });
    const asked = await collect(exchange.events());
    expect(asked).toMatchObject({ finish: "tool-calls", usage: { estimated: true } });
    expect(asked.calls.map(({ name, input }) => [name, input])).toEqual([
      ["left", '{"name":"left"}'],
      ["right", '{"name":"right"}'],
    ]);
    const [left, right] = exchange.openCalls;
    const image = { type: "image" as const, mimeType: "image/png", data: Buffer.from("pixel") };
    exchange.answer({ callId: right?.id ?? "", content: [image], isError: false });
    exchange.answer({ callId: "unknown", content: [], isError: false });
    expect(exchange.openCalls).toEqual([left]);
    exchange.answer({ callId: left?.id ?? "", content: [{ type: "text", text: "lost" }], isError: true });
    const reply = await collect(exchange.events());
    expect(JSON.parse(reply.text)).toEqual([
      { content: [{ type: "text", text: "lost" }], isError: true },
      { content: [{ type: "image", data: image.data.toString("base64"), mimeType: "image/png" }], isError: false },
    ]);
    expect(reply.finish).toBe("stop");
  });

  it("offers no tool that must not be called", async () => {
    const tools = [{ name: "look", description: "", inputSchema: {} }];
    const { text } = await ask(sdkBackend(), "given", { tools, toolChoice: { type: "none" } });
    expect(JSON.parse(text).options).toMatchObject({ tools: [], local: { customTools: {} } });
  });

  it("sends the system prompt as text for an account that may not set one, and remembers that", async () => {
    const backend = sdkBackend();
    const refused = start(backend, "given", { system: "not for you" });
    const first = await collect(refused.events());
    expect(refused.meter).toMatchObject({ runs: 2, retries: 0 });
    const second = await ask(backend, "given", { system: "Be brief." });
    const given = [first, second].map(({ text }) => JSON.parse(text));
    expect(given.map(({ text }) => text)).toEqual([
      "<system>\nnot for you\n</system>\n\n<user>\ngiven\n</user>",
      "<system>\nBe brief.\n</system>\n\n<user>\ngiven\n</user>",
    ]);
    for (const { options } of given) expect(options).not.toHaveProperty("systemPrompt");
  });

  it("times out without output, but not while the client has calls to run", async () => {
    const clock = new ManualClock();
    const tools = ["left", "right"].map((name) => ({ name, description: "", inputSchema: {} }));
    const backend = sdkBackend({ clock, limits: { ...limits, hungMs: 3_600_000 } }, 10_000);
    const waiting = start(backend, "wait");
    await untilText(waiting);
    const calling = start(backend, "call", { tools });
    const asked = collect(calling.events());
    await expect.poll(() => calling.openCalls).toHaveLength(2);
    clock.advance(10_000);
    expect(await failureOf(waiting)).toMatchObject({ code: "timeout", message: expect.stringContaining("10 s") });
    expect((await asked).finish).toBe("tool-calls");
    calling.answer({ callId: calling.openCalls[0]?.id ?? "", content: [], isError: false });
    clock.advance(10_000);
    expect(calling.openCalls).toHaveLength(1);
  });

  it("estimates its usage by characters, not bytes, if it is not measured", async () => {
    const { text, usage } = await ask(sdkBackend(), `given ${"한국어".repeat(50)}`);
    expect(text).toContain("한국어");
    expect(usage).toMatchObject({ estimated: true, outputTokens: Math.ceil(text.length / 4) });
  });

  it("is cancelled when its reader takes none of its output", async () => {
    const flooded = start(sdkBackend(), "flood");
    const events = flooded.events();
    await new Promise<void>((resolve) => flooded.onOver(resolve));
    await expect(collect(events)).rejects.toMatchObject({ code: "canceled" });
  });

  it("is cancelled at the SDK too", async () => {
    const backend = sdkBackend();
    const waiting = start(backend, "wait");
    await untilText(waiting);
    waiting.close("client-left");
    expect((await failureOf(waiting)).code).toBe("canceled");
    await expect.poll(async () => (await ask(backend, "cancelled")).text).toBe("1");
  });

  it("resumes only from its newest state", async () => {
    const backend = sdkBackend();
    const stateAfter = async (state: Uint8Array | undefined): Promise<Uint8Array | undefined> => {
      let kept: Uint8Array | undefined;
      for await (const batch of start(backend, "pid", {}, { state }).events()) {
        for (const event of batch) if (event.type === "checkpoint") kept = event.state;
      }
      return kept;
    };
    const first = await stateAfter(undefined);
    const second = await stateAfter(first);
    expect(second).not.toEqual(first);
    await expect(stateAfter(first)).rejects.toMatchObject({ code: "session_expired" });
    await expect(stateAfter(Buffer.from("of another backend"))).rejects.toMatchObject({ code: "session_expired" });
    expect(await stateAfter(second)).toBeDefined();
  });

  it("lists the models that the SDK lists", async () => {
    const models = await sdkBackend().models(AbortSignal.timeout(10_000));
    expect(models).toMatchObject([{ id: "model-for-crsr_secret_key", name: "model-for-crsr_secret_key" }]);
  });
});
