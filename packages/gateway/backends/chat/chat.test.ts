import { Agent } from "node:http";
import type { Simulator } from "@curlew/simulator/index.js";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startContext, userTurn } from "../../../../testing/backends/scripted/index.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { serveHttp } from "../../../../testing/network/serve-http.js";
import { sampleProfile } from "../../../../testing/samples/sample-profile.js";
import { sampleTokens } from "../../../../testing/samples/sample-tokens.js";
import { startSimulator } from "../../../../testing/simulator/strict-simulator.js";
import type { TokenSource } from "../../account/token.js";
import { createNetwork } from "../../network/index.js";
import { type Clock, systemClock } from "../../system/clock.js";
import { collect, type TurnResult } from "../../turn/collect.js";
import type { SentTurn, Turn } from "../../turn/turn.js";
import type { Backend, StartContext } from "../backend.js";
import { type ChatCall, streamChat, unifiedChat } from "./calls.js";
import { readChat } from "./chat-stream.js";
import type { ChatExchangeSettings } from "./exchange.js";
import { createChatBackend } from "./index.js";

let simulator: Simulator;
const made: Backend[] = [];

beforeAll(async () => {
  simulator = await startSimulator({ checksum: "strict", legacy: "working" });
});
afterEach(() => {
  simulator.configure({ legacy: "working", gzip: false });
  for (const backend of made.splice(0)) backend.close();
});
afterAll(() => simulator.close());

interface Changes extends Partial<ChatExchangeSettings> {
  readonly calls?: readonly ChatCall[];
  readonly tokens?: TokenSource;
  readonly clock?: Clock;
}

function chatBackend({ tokens, clock = systemClock, calls, ...settings }: Changes = {}): Backend {
  const usual: ChatExchangeSettings = {
    backendUrl: simulator.url,
    checksum: undefined,
    silenceMs: 30_000,
  };
  const clients = { agent: sampleProfile.clients.cli, desktop: sampleProfile.clients.ide };
  const backend = createChatBackend(
    { settings: { ...usual, ...settings }, clients, network: createNetwork(), clock },
    tokens ?? sampleTokens(simulator.url),
    calls,
  );
  made.push(backend);
  return backend;
}

function ask(text: string, turn: Omit<Partial<Turn>, "messages"> = {}, backend = chatBackend()): Promise<TurnResult> {
  return collect(backend.start(userTurn(text, turn), startContext()).events());
}

const lastRequest = () => simulator.requests(1)[0];
const lastMessage = () => JSON.stringify(lastRequest()?.messages[0]);

describe.each([
  { name: "StreamChat", call: streamChat },
  { name: "StreamUnifiedChatWithTools", call: unifiedChat },
])("$name", ({ call }) => {
  it("carries text, system prompt, model and the whole conversation", async () => {
    const turn: SentTurn = {
      ...userTurn(""),
      system: "You count birds.",
      messages: [
        { role: "user", content: [{ type: "text", text: "first words" }] },
        { role: "assistant", content: [{ type: "thinking", text: "hidden" }] },
        { role: "assistant", content: [{ type: "text", text: "first answer" }] },
        { role: "user", content: [{ type: "text", text: "[[say a tern]]" }] },
      ],
    };
    const context: Partial<StartContext> = { model: { id: "gpt-5.5", parameters: [], isMax: true } };
    const backend = chatBackend({ calls: [call] });
    const { text, usage } = await collect(backend.start(turn, startContext(context)).events());
    expect(text).toBe("a tern");
    expect(usage).toMatchObject({ estimated: true, inputTokens: 1, outputTokens: 2 });
    expect(lastRequest()?.path).toBe(call.path);
    for (const part of ["You count birds.", "first words", "first answer", '"modelName":"gpt-5.5"', '"maxMode":true'])
      expect(lastMessage()).toContain(part);
    expect(lastMessage()).not.toContain("hidden");
  });

  it("sends an image as Markdown", async () => {
    const image = { type: "image", mimeType: "image/png", data: Buffer.from("pixel") } as const;
    const turn = { ...userTurn(""), messages: [{ role: "user", content: [image] } as const] };
    await collect(
      chatBackend({ calls: [call] })
        .start(turn, startContext())
        .events(),
    );
    expect(lastMessage()).toContain(`![image](data:image/png;base64,${Buffer.from("pixel").toString("base64")})`);
  });

  it("is retired, and says which backend to use", async () => {
    simulator.configure({ legacy: "retired" });
    await expect(ask("hello", {}, chatBackend({ calls: [call] }))).rejects.toMatchObject({
      code: "client_outdated",
      message: expect.stringContaining("--backend agent"),
    });
  });

  it("times out when it hangs", async () => {
    simulator.configure({ legacy: "hanging" });
    const clock = new ManualClock();
    const backend = chatBackend({ calls: [call], clock, silenceMs: 5_000 });
    const reply = ask("hello", {}, backend);
    reply.catch(() => {});
    await expect.poll(() => clock.sleeping).toBe(1);
    clock.advance(4_999);
    clock.advance(1);
    await expect(reply).rejects.toMatchObject({ code: "timeout", message: expect.stringContaining("5 s") });
  });

  it("reads compressed frames", async () => {
    simulator.configure({ gzip: true });
    expect((await ask("[[say squeezed]]", {}, chatBackend({ calls: [call] }))).text).toBe("squeezed");
  });
});

describe("the chat backend", () => {
  it("tries the older call when the newer one is retired, and only then", async () => {
    simulator.configure({ legacy: "retired" });
    simulator.reset();
    await expect(ask("hello")).rejects.toMatchObject({ code: "client_outdated" });
    const paths = () => simulator.requests(10).flatMap(({ path }) => (path.includes("Chat") ? [path] : []));
    expect(paths()).toEqual([unifiedChat.path, streamChat.path]);
    simulator.configure({ legacy: "working" });
    simulator.reset();
    await expect(ask("[[fail permission_denied]]")).rejects.toMatchObject({ code: "permission_denied" });
    expect(paths()).toEqual([unifiedChat.path]);
  });

  it("refuses tools as a bad request, without a call upstream", async () => {
    simulator.reset();
    const tools = [{ name: "look", description: "", inputSchema: {} }];
    await expect(ask("hello", { tools })).rejects.toMatchObject({
      code: "unsupported_parameter",
      kind: "bad-request",
      param: "tools",
      message: expect.stringContaining("--backend agent"),
    });
    expect(simulator.requests(10)).toEqual([]);
    expect((await ask("[[say fine]]", { tools, toolChoice: { type: "none" } })).text).toBe("fine");
  });

  it("refuses a conversation with calls in it", async () => {
    const call = { type: "call", id: "c1", name: "look", input: "{}" } as const;
    const turn = { ...userTurn(""), messages: [{ role: "assistant", content: [call] } as const] };
    await expect(collect(chatBackend().start(turn, startContext()).events())).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: "messages[0]",
    });
  });

  it("renews a refused token once", async () => {
    const tokens = sampleTokens(simulator.url);
    let renewals = 0;
    const renewed = {
      ...tokens,
      get: async () => "stale",
      async renew(_: string, signal: AbortSignal) {
        renewals++;
        return tokens.get(signal);
      },
    };
    expect((await ask("[[say back again]]", {}, chatBackend({ tokens: renewed }))).text).toBe("back again");
    expect(renewals).toBe(1);
    const refused = { ...renewed, renew: async () => `${++renewals}` };
    await expect(ask("hello", {}, chatBackend({ tokens: refused }))).rejects.toMatchObject({ kind: "authentication" });
    expect(renewals).toBe(2);
  });

  it("names the address of an unreachable server", async () => {
    const tokens = { ...sampleTokens(simulator.url), get: async () => "token" };
    const backend = chatBackend({ tokens, backendUrl: "http://127.0.0.1:1" });
    await expect(ask("hello", {}, backend)).rejects.toMatchObject({
      code: "upstream_unreachable",
      message: expect.stringContaining("127.0.0.1:1"),
    });
  });

  it("does not mistake a slow reader for a silent server", async () => {
    const clock = new ManualClock();
    const backend = chatBackend({ clock, silenceMs: 5_000 });
    const events = backend.start(userTurn("[[say one]] [[wait 20]] [[say two]]"), startContext()).events();
    const reader = events[Symbol.asyncIterator]();
    const [first] = (await reader.next()).value ?? [];
    await expect.poll(() => clock.sleeping).toBe(0);
    clock.advance(60_000);
    const rest = await collect({ [Symbol.asyncIterator]: () => reader });
    expect((first?.type === "text" ? first.delta : "") + rest.text).toBe("onetwo");
  });
});

it("sends the configured checksum unchanged, or one in the form of the desktop app's", async () => {
  const checksum = `5XZ4Ziq_${"ab".repeat(32)}`;
  await ask("[[say one]]", {}, chatBackend({ checksum }));
  expect(lastRequest()?.headers["x-cursor-checksum"]).toBe(checksum);
  await ask("[[say two]]");
  expect(lastRequest()?.headers["x-cursor-checksum"]).toMatch(/^[\w-]{8}[0-9a-f]{64}\/[0-9a-f]{64}$/);
  const wrong = chatBackend({ checksum: "paaotviBcut-short" });
  await expect(ask("hello", {}, wrong)).rejects.toMatchObject({ code: "cursor_unauthorized" });
});

it("masks credentials in Cursor's message about a retired call", async () => {
  const message = "Update required for crsr_0123456789abcdef";
  const origin = await serveHttp((request, response) => {
    request.resume();
    response.writeHead(403, { "content-type": "application/json" });
    response.end(JSON.stringify({ code: "permission_denied", message }));
  });
  const chat = readChat({
    url: new URL("/chat", origin),
    headers: {},
    message: new Uint8Array(),
    agent: new Agent(),
    signal: new AbortController().signal,
    onMessage() {},
    onChunk: async () => {},
  });
  await expect(chat).rejects.toMatchObject({
    code: "client_outdated",
    message: expect.stringContaining("(it says: Update required for [redacted])"),
  });
});
