import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { startServer } from "../src/app/start/start-server.js";
import type { Constants } from "../src/config/constants.js";
import { loadSettings } from "../src/config/load.js";
import { startStreamChatServer } from "../testing/network/stream-chat-server.js";

const STREAM_CHAT = "/aiserver.v1.AiService/StreamChat";
const UNIFIED_CHAT = "/aiserver.v1.ChatService/StreamUnifiedChatWithTools";
const jwt = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiJ1c2VyXzAxIn0", "c2lnbmF0dXJl"].join(".");

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(env: Record<string, string> = {}, constants: Partial<Constants> = {}) {
  const cursor = await startStreamChatServer(["Hello ", "from ", "S0"]);
  const home = mkdtempSync(join(tmpdir(), "curlew-stream-chat-"));
  const { settings } = loadSettings({
    env: {
      CURSOR_URL: cursor.url,
      CURLEW_HOME: home,
      CURLEW_BACKEND: "chat",
      CURLEW_PASS_THROUGH: "true",
      CURLEW_LOG_LEVEL: "silent",
      ...env,
    },
  });
  const server = await startServer(
    { ...settings, port: 0 },
    { orSimulate: false, constants: { graceMs: 0, ...constants } },
  );
  await server.ready;
  closers.push(
    () => rmSync(home, { recursive: true, force: true }),
    cursor.close,
    () => server.stop(new AbortController().signal),
  );
  const client = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
  const ask = (content: string, apiKey = `user_01%3A%3A${jwt}`) =>
    client(apiKey).chat.completions.create({ model: "gpt-4o", messages: [{ role: "user", content }] });
  const chats = () => cursor.asked.filter(({ path }) => path.includes("Chat"));
  return { client, ask, chats };
}

describe("a server that has StreamChat alone, and callers who bring their session cookie", () => {
  it.each(["%3A%3A", "::"])("answers, whole and streamed; the cookie is written with %s", async (between) => {
    const { client, ask, chats } = await start();
    const cookie = `user_01${between}${jwt}`;
    expect((await ask("Say hello", cookie)).choices[0]?.message.content).toBe("Hello from S0");
    const stream = await client(cookie).chat.completions.create({
      model: "gpt-4o",
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "Say hello" },
      ],
      stream: true,
    });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).toBe("Hello from S0");
    expect(chats().at(-1)).toMatchObject({
      path: STREAM_CHAT,
      headers: { authorization: `Bearer ${jwt}` },
      request: {
        conversation: [{ text: "Say hello" }],
        explicitContext: { context: "Be short." },
        modelDetails: { modelName: "gpt-4o" },
      },
    });
  });

  it("is asked once for the newer call, and not with every turn", async () => {
    const { ask, chats } = await start();
    await ask("one");
    await ask("two");
    expect(chats().map(({ path }) => path)).toEqual([UNIFIED_CHAT, STREAM_CHAT, STREAM_CHAT]);
  });

  it("gets the version of the desktop app that the owner sets, with every call", async () => {
    const { ask, chats } = await start({ CURSOR_CLIENT_VERSION: "0.42.3" });
    await ask("hello");
    for (const { headers } of chats()) expect(headers["x-cursor-client-version"]).toBe("0.42.3");
  });

  it("is asked for nothing but the one call that it is limited to", async () => {
    const picked = await start({}, { chatCall: "stream-chat" });
    await picked.ask("hello");
    expect(picked.chats().map(({ path }) => path)).toEqual([STREAM_CHAT]);
    const newer = await start({}, { chatCall: "unified" });
    await expect(newer.ask("hello")).rejects.toMatchObject({
      status: 502,
      code: "upstream_error",
      message: expect.stringContaining(`does not have Cursor's old chat call ${UNIFIED_CHAT} (HTTP status 404)`),
    });
    expect(newer.chats().map(({ path }) => path)).toEqual([UNIFIED_CHAT]);
  });
});
