import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "node:tls";
import type { Mistake } from "./mistake.js";
import { chat, message, send } from "./requests.js";
import { GATEWAY_KEY, type Stage } from "./stage.js";

const LOOK_MS = 10;
const MOST_LOOKS = 3_000;

const weather = { name: "weather", description: "The weather", input_schema: { type: "object", properties: {} } };
const locked = { CURLEW_KEY: GATEWAY_KEY };
const foreignPage = { origin: "https://page.example" };

export const doorMistakes: readonly Mistake[] = [
  {
    number: 5,
    mistake: "base URL without `/v1`",
    make: (stage) => send(stage, "/chat/completions", { body: chat }),
    status: 200,
    says: ["(answered by auto)"],
  },
  ...["/v1/v1", "/api/v1", "/openai/v1"].map(
    (base): Mistake => ({
      number: 6,
      mistake: `base URL with \`${base}\``,
      make: (stage) => send(stage, `${base}/chat/completions`, { body: chat }),
      status: 200,
      says: [`This request came to ${base}/chat/completions. Set the base URL of the client to http://127.0.0.1:`],
    }),
  ),
  {
    number: 7,
    mistake: "whole endpoint as base URL",
    make: (stage) => send(stage, "/v1/chat/completions/chat/completions", { body: chat }),
    status: 200,
    says: ["Set the base URL of the client to http://127.0.0.1:"],
  },
  {
    number: 8,
    mistake: "`https://` to the plain port (the gateway's log)",
    make: speakTls,
    status: 0,
    says: [/^a client spoke TLS \(https\) to this port; use http:\/\/127\.0\.0\.1:\d+/],
  },
  {
    number: 9,
    mistake: "GET on a POST route",
    make: (stage) => send(stage, "/v1/messages", { method: "GET" }),
    status: 405,
    says: ["POST"],
  },
  ...[
    { api: "Ollama", path: "/api/tags" },
    { api: "Gemini", path: "/v1beta/models" },
  ].map(
    ({ api, path }): Mistake => ({
      number: 10,
      mistake: `${api}'s \`${path}\``,
      make: (stage) => send(stage, path, { method: "GET" }),
      status: 404,
      says: [`Curlew does not serve ${api}'s API.`, /set its base URL to http:\/\/127\.0\.0\.1:\d+\/v1\./],
    }),
  ),
  {
    number: 11,
    mistake: "embeddings",
    make: (stage) => send(stage, "/v1/embeddings", { body: { model: "auto", input: "hi" } }),
    status: 501,
    says: ["embeddings"],
  },
  {
    number: 12,
    mistake: "Anthropic body on Chat Completions",
    make: (stage) => send(stage, "/v1/chat/completions", { body: { ...chat, max_tokens: 9, tools: [weather] } }),
    status: 400,
    says: ["/v1/messages"],
  },
  {
    number: 13,
    mistake: "OpenAI body on `/v1/messages`",
    make: (stage) =>
      send(stage, "/v1/messages", { body: { ...chat, messages: [{ role: "system", content: "Be brief." }, message] } }),
    status: 400,
    says: ["/v1/chat/completions"],
  },
  {
    number: 14,
    mistake: "Responses body on Chat Completions",
    make: (stage) => send(stage, "/v1/chat/completions", { body: { model: "auto", input: "hi" } }),
    status: 400,
    says: ["/v1/responses"],
  },
  {
    number: 15,
    mistake: "broken JSON",
    make: (stage) => send(stage, "/v1/chat/completions", { body: '{"model": "auto",\n "messages": [}' }),
    status: 400,
    says: ["line 2, column 15"],
  },
  {
    number: 16,
    mistake: "form content type",
    make: (stage) =>
      send(stage, "/v1/chat/completions", {
        body: "model=auto",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }),
    status: 415,
    says: ["application/x-www-form-urlencoded", "application/json"],
  },
  {
    number: 17,
    mistake: "gateway key missing",
    make: (stage) => send(stage, "/v1/chat/completions", { body: chat, variables: locked }),
    status: 401,
    says: ["This gateway requires its own key, and the request has none.", "CURLEW_KEY", "API key"],
  },
  {
    number: 17,
    mistake: "gateway key wrong",
    make: (stage) =>
      send(stage, "/v1/chat/completions", { body: chat, variables: locked, headers: { authorization: "Bearer sk-x" } }),
    status: 401,
    says: ["The key of this request is not a key of this gateway.", "CURLEW_KEY", "API key"],
  },
  {
    number: 18,
    mistake: "other Host name",
    make: foreignHost,
    status: 403,
    says: ["allowedHosts"],
  },
  {
    number: 19,
    mistake: "web page (CORS), preflight",
    make: (stage) =>
      send(stage, "/v1/chat/completions", {
        method: "OPTIONS",
        headers: { ...foreignPage, "access-control-request-method": "POST" },
      }),
    status: 403,
    says: ["corsOrigins", "https://page.example"],
  },
  {
    number: 19,
    mistake: "web page (CORS), POST",
    make: (stage) => send(stage, "/v1/chat/completions", { body: chat, headers: foreignPage }),
    status: 403,
    says: ["corsOrigins", "https://page.example"],
  },
];

/** The user sees only the client's own error, so the gateway's log has to explain it. */
async function speakTls(stage: Stage) {
  const gateway = await stage.gateway();
  const socket = connect({ port: Number(new URL(gateway.url).port), host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "error");
  socket.destroy();
  // The line may appear a moment later.
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const line = gateway
      .log()
      .split("\n")
      .slice(0, -1)
      .findLast((each) => /tls|https/i.test(each));
    if (line !== undefined) return { status: 0, text: messageIn(line) };
    await pause(LOOK_MS);
  }
  return { status: 0, text: "" };
}

async function foreignHost(stage: Stage) {
  const { url } = await stage.gateway();
  const asked = request(`${url}/v1/models`, { headers: { host: "gateway.example" } }).end();
  const [response] = await once(asked, "response");
  const { error }: { error: { message: string } } = JSON.parse(await text(response));
  return { status: response.statusCode, text: error.message };
}

function messageIn(line: string): string {
  const { msg, ...more }: { msg: string } & Record<string, unknown> = JSON.parse(line);
  return [msg, ...Object.values(more).filter((value) => typeof value === "string" && /http/.test(value))].join(": ");
}
