import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../packages/cli/app/start/start-server.js";
import { loadSettings } from "../packages/cli/config/load.js";
import { startStreamChatServer } from "../testing/network/stream-chat-server.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const STREAM_CHAT = "/aiserver.v1.AiService/StreamChat";
const jwt = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiJ1c2VyXzAxIn0", "c2lnbmF0dXJl"].join(".");

type Refusal = Parameters<typeof startStreamChatServer>[1];

async function start(env: Record<string, string> = {}, refusal: Refusal = "a 404 in text") {
  const cursor = await startStreamChatServer(["Hello ", "from ", "S0"], refusal);
  onTestFinished(cursor.close);
  const { settings } = loadSettings({
    env: {
      CURSOR_URL: cursor.url,
      CURLEW_HOME: temporaryFolder(),
      CURLEW_BACKEND: "chat",
      CURLEW_PASS_THROUGH: "true",
      CURLEW_LOG_LEVEL: "silent",
      ...env,
    },
  });
  const server = await startServer(
    { ...settings, port: 0 },
    { orSimulate: false, logStream: process.stderr, constants: { graceMs: 0 } },
  );
  await server.ready;
  onTestFinished(() => server.stop(new AbortController().signal));
  const client = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
  const ask = (content: string, apiKey = `user_01%3A%3A${jwt}`) =>
    client(apiKey).chat.completions.create({ model: "gpt-4o", messages: [{ role: "user", content }] });
  const chats = () => cursor.asked.filter(({ path }) => path.includes("Chat"));
  return { client, ask, chats };
}

describe("a server with only StreamChat, and callers with a session cookie", () => {
  it.each<[Refusal, string]>([
    ["a 404 in JSON", "%3A%3A"],
    ["a 404 in JSON", "::"],
    ["a 404 in JSON with a code of its own", "::"],
    ["a 404 in text", "%3A%3A"],
    ["an empty 404", "%3A%3A"],
    ['a frame with "Update Required"', "%3A%3A"],
  ])("answers, whole and streamed; it refuses the rest by %s, and the cookie is written with %s", async (...form) => {
    const [refusal, between] = form;
    const { client, ask, chats } = await start({}, refusal);
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

  it("sends the configured version of the desktop app with every call", async () => {
    const { ask, chats } = await start({ CURSOR_CLIENT_VERSION: "0.42.3" });
    await ask("hello");
    for (const { headers } of chats()) expect(headers["x-cursor-client-version"]).toBe("0.42.3");
  });
});
