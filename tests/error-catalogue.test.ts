import { createServer } from "node:http2";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { openWholeSystem, startWholeSystem } from "../testing/gateway/whole-system.js";
import { listenLocally } from "../testing/network/local-server.js";
import { startedOnce } from "../testing/started.js";

const system = startedOnce(() => startWholeSystem({}, { retries: 0 }));
const patient = startedOnce(() => startWholeSystem());
beforeEach(() => patient.simulator.reset());

async function ask(url: string, model: string, content = "hi", stream = false) {
  const response = await postJson(`${url}/v1/chat/completions`, {
    model,
    stream,
    messages: [{ role: "user", content }],
  });
  const text = await response.text();
  const { error } = JSON.parse(text);
  return { status: response.status, retryAfter: response.headers.get("retry-after"), ...error } as {
    status: number;
    retryAfter: string | null;
    type: string;
    code: string;
    message: string;
  };
}

/** What clients see of some of Cursor's errors; the mapping of numbers has its own table. */
describe.each([
  { name: "raw/sim-error-1-unauthenticated", status: 401, type: "authentication_error", code: "invalid_api_key" },
  {
    name: "raw/sim-error-43-invalid_argument",
    status: 400,
    type: "invalid_request_error",
    code: "context_length_exceeded",
  },
  { name: "raw/sim-error-50-resource_exhausted", status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" },
  { name: "raw/sim-error-9-resource_exhausted", status: 429, type: "insufficient_quota", code: "insufficient_quota" },
  { name: "raw/sim-error-56-internal", status: 502, type: "api_error", code: "upstream_error" },
  { name: "raw/sim-error-9999-unavailable", status: 503, type: "api_error", code: "overloaded" },
])("$name", ({ name, status, type, code }) => {
  it(`is ${status} ${type} ${code}, whole and streamed, for every form of its details`, async () => {
    const forms = [
      ask(system.url, name),
      ask(system.url, `${name}.value`),
      ask(system.url, `${name}.debug`, "hi", true),
    ];
    for (const error of await Promise.all(forms)) expect(error).toMatchObject({ status, type, code });
  });
});

it("passes on the time to wait", async () => {
  expect(await ask(system.url, "raw/sim-error-50.retry42")).toMatchObject({ status: 429, retryAfter: "42" });
  expect(await ask(system.url, "raw/sim-error-50")).toMatchObject({ status: 429, retryAfter: "2" }); // from the breaker
});

describe("advice", () => {
  it.each([
    ["raw/sim-error-50.retry42", "Wait 42 s, then try again. Run fewer agents at once."],
    ["raw/sim-error-9-resource_exhausted.bare", "Wait a moment, then try again. Run fewer agents at once."],
    ["raw/sim-error-9", "`curlew usage` shows what is left and when it resets. Your plan resets on "],
    ["raw/sim-error-56-internal", "Try again; if it keeps happening, run `curlew doctor`."],
    ["raw/sim-error-43", "The prompt is too long: shorten the conversation or start a new one."],
  ])("is part of the error of %s", async (model, advice) => {
    expect((await ask(system.url, model)).message).toContain(advice);
  });

  it("includes the model's limit where known", async () => {
    const { message } = await ask(system.url, "composer-2.5", "[[fail invalid_argument ERROR_CONVERSATION_TOO_LONG]]");
    expect(message).toContain("The prompt is too long: the model reads at most 200,000 tokens. Shorten");
  });

  it("includes the size of the prompt where it is the likely reason", async () => {
    const error = await ask(system.url, "composer-2.5", `[[fail resource_exhausted]] ${"word ".repeat(140_000)}`);
    expect(error).toMatchObject({
      status: 400,
      message: expect.stringMatching(/it has about [\d,]+ tokens, .*200,000.*Shorten the conversation or start a new/),
    });
  });
});

it("every call reports a client version that Cursor refuses", async () => {
  const clientVersion = "cli-2024.01.01-abcdef0";
  const old = await openWholeSystem({ deniedVersions: [clientVersion] }, { clientVersion });
  expect(await ask(old.url, "auto")).toMatchObject({ status: 502, code: "client_outdated" });
  const list = await fetch(`${old.url}/v1/models`);
  expect(await list.json()).toMatchObject({
    error: { code: "client_outdated", message: expect.stringContaining("CURSOR_CLIENT_VERSION") },
  });
  expect(old.simulator.stats().runs).toBe(1);
});

describe("exhaustion without details", () => {
  it("is retried once, not three times", async () => {
    expect(await ask(patient.url, "raw/sim-error-9-resource_exhausted.bare")).toMatchObject({
      code: "rate_limit_exceeded",
    });
    expect(patient.simulator.stats().runs).toBe(2);
  });
});

/** Runs a gateway on an agent host that gives every call this answer. */
async function withHost(status: number, headers: Record<string, string>, body: string, use: (url: string) => unknown) {
  const host = createServer((_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  });
  const { url: agentUrl, close } = await listenLocally(host);
  onTestFinished(close);
  const system = await openWholeSystem({}, { agentUrl, retries: 0 });
  await use(system.url);
  expect(system.simulator.stats().exchanges).toBe(1);
}

it.each([
  ["a web page instead of it", 403, "text/html", "<!DOCTYPE html><title>Sorry, you have been blocked</title>"],
  ["the sign-in page of a hotel", 200, "text/html; charset=utf-8", "<!DOCTYPE html><title>Welcome, room?</title>"],
  ["the word of some other service", 200, "application/json", '{"status":"please sign in"}'],
])("takes %s (%i %s) for a blocked network and keeps the login", async (_, status, type, body) => {
  await withHost(status, { "content-type": type }, body, async (url) => {
    expect(await ask(url, "auto")).toMatchObject({ status: 502, code: "network_blocked" });
    const health = await fetch(`${url}/health`);
    expect(await health.json()).toMatchObject({ auth: "authenticated" });
  });
});

it("passes on that Cursor's host is overloaded, with its retry-after", async () => {
  await withHost(503, { "retry-after": "7" }, "", async (url) => {
    expect(await ask(url, "auto")).toMatchObject({ status: 503, code: "upstream_overloaded", retryAfter: "7" });
  });
});
