import { createServer } from "node:http2";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { openWholeSystem, startWholeSystem } from "../testing/gateway/whole-system.js";
import { listenLocally } from "../testing/network/local-server.js";
import { sampleProfile } from "../testing/samples/sample-profile.js";
import { changedServer, has } from "../testing/simulator/changed-server.js";
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
    [
      "raw/sim-error-9.offer",
      "Cursor offers: Upgrade to Pro (https://cursor.com/pricing). Plans that Cursor names: Pro, Ultra.",
    ],
    [
      "raw/sim-error-9.debug.offer",
      "Cursor offers: Upgrade to Pro (https://cursor.com/pricing). Plans that Cursor names: Pro, Ultra.",
    ],
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
      message: expect.stringMatching(
        /it has about [\d,]+ tokens with Cursor's own, .*200,000.*Shorten the conversation or start a new/,
      ),
    });
  });
});

it("every call reports that Cursor refuses the client version, and the newest that Curlew speaks", async () => {
  const clientVersion = "cli-2024.01.01-abcdef0";
  const deniedVersions = [clientVersion, sampleProfile.clients.sdk.version];
  const old = await openWholeSystem({ deniedVersions }, { clientVersion });
  expect(await ask(old.url, "auto")).toMatchObject({ status: 502, code: "client_outdated" });
  const list = await fetch(`${old.url}/v1/models`);
  expect(await list.json()).toMatchObject({
    error: { code: "client_outdated", message: expect.stringContaining("CURSOR_CLIENT_VERSION") },
  });
  expect(old.simulator.stats().runs).toBe(2);
});

describe("exhaustion without details", () => {
  it("is retried once, not three times", async () => {
    expect(await ask(patient.url, "raw/sim-error-9-resource_exhausted.bare")).toMatchObject({
      code: "rate_limit_exceeded",
    });
    expect(patient.simulator.stats().runs).toBe(2);
  });
});

describe("a refusal without a reason", () => {
  const dialects = {
    "/v1/chat/completions": (words: string) => ({ messages: [{ role: "user", content: words }] }),
    "/v1/responses": (words: string) => ({ input: words }),
    "/v1/messages": (words: string) => ({ max_tokens: 99, messages: [{ role: "user", content: words }] }),
  };
  type Path = keyof typeof dialects;
  const chat = "/v1/chat/completions";

  async function refused(url: string, path: Path, model: string, words: string, stream = false) {
    const response = await postJson(`${url}${path}`, { model, stream, ...dialects[path](words) });
    const { error } = JSON.parse(await response.text()) as { error: { type: string; message: string } };
    return { status: response.status, mayRetry: response.headers.get("x-should-retry"), ...error };
  }

  const usageCalls = ({ simulator }: typeof patient) =>
    simulator.requests(100).filter(({ path }) => path.endsWith("/GetCurrentPeriodUsage")).length;

  describe("when the pool of the model is used up", () => {
    const poor = startedOnce(() => startWholeSystem({ usage: "other-used-up" }));

    it.each([
      [chat, "insufficient_quota"],
      ["/v1/responses", "insufficient_quota"],
      ["/v1/messages", "rate_limit_error"],
    ] as const)("names it on %s, says what still works, and nobody retries", async (path, type) => {
      for (const stream of [false, true]) {
        const error = await refused(poor.url, path, "claude-fable-5", `hi on ${path}, ${stream}`, stream);
        expect(error).toMatchObject({ status: 429, type, mayRetry: "false" });
        expect(error.message).toMatch(
          /^Cursor refused the turn\. Your plan's pool Other Models is used up\. Auto and Composer still work\./,
        );
        expect(error.message).toContain(
          "`curlew usage` shows what is left and when it resets. Your plan resets on 1 December 2026.",
        );
      }
    });

    it("is asked before the size of the conversation", async () => {
      const error = await refused(poor.url, chat, "claude-fable-5", "word ".repeat(180_000));
      expect(error).toMatchObject({ status: 429, code: "insufficient_quota" });
    });

    it("leaves the other pool alone, and asks Cursor once for any number of failures", async () => {
      const fails = (words: string) => refused(poor.url, chat, "composer-2.5", `[[fail resource_exhausted]] ${words}`);
      for (const error of await Promise.all([fails("a"), fails("b"), fails("c"), fails("d")])) {
        expect(error).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
      }
      expect(
        (await postJson(`${poor.url}/v1/messages`, { model: "auto", ...dialects["/v1/messages"]("hi") })).status,
      ).toBe(200);
      expect(usageCalls(poor)).toBe(1);
    });
  });

  it("asks Cursor nothing while turns succeed, or fail for a reason", async () => {
    const { url, simulator } = await openWholeSystem({});
    await postJson(`${url}/v1/messages`, { model: "auto", ...dialects["/v1/messages"]("hi") });
    expect(await ask(url, "raw/sim-error-56-internal.final")).toMatchObject({ code: "upstream_error" });
    expect(simulator.requests(100).filter(({ path }) => path.endsWith("/GetCurrentPeriodUsage"))).toEqual([]);
  });

  it("stays a rate limit when no plan can be read, and says so", async () => {
    const blind = await openWholeSystem({ usage: "unavailable" }, { retries: 0 });
    const { status, code, message } = await ask(blind.url, "claude-fable-5", "[[fail resource_exhausted]]");
    expect({ status, code }).toEqual({ status: 429, code: "rate_limit_exceeded" });
    expect(message).toMatch(
      /Run fewer agents at once\. Curlew could not check whether your plan is used up: Cursor did not answer/,
    );
    expect(usageCalls(blind)).toBe(1);
  });

  it("says nothing of the plan when that has something left", async () => {
    const { code, message } = await ask(system.url, "composer-2.5", "[[fail resource_exhausted]] short");
    expect(code).toBe("rate_limit_exceeded");
    expect(message).not.toMatch(/plan/);
  });

  it.each([
    [chat, "invalid_request_error"],
    ["/v1/responses", "invalid_request_error"],
    ["/v1/messages", "invalid_request_error"],
  ] as const)(
    "is too long a prompt on %s from half of the window on, Cursor's own part included",
    async (path, type) => {
      const words = (count: number) => `[[fail resource_exhausted]] ${path} ${"word ".repeat(count)}`;
      const { url, simulator } = await openWholeSystem({}, { retries: 0 });
      const error = await refused(url, path, "composer-2.5", words(65_000));
      expect(error).toMatchObject({
        status: 400,
        type,
        message: expect.stringMatching(/prompt is too long: it has about 101,000/),
      });
      expect(simulator.stats().runs).toBe(1);
      expect(await refused(url, path, "composer-2.5", words(60_000))).toMatchObject({ status: 429 });
    },
  );

  it("is too long a prompt in a tool round, on the waiting run and on the next one", async () => {
    // The simulated model would speak about the result first.
    const takeOver = changedServer({ messages: () => (payload) => (has(payload, [1, 1]) ? [] : [payload]) });
    const counted = await openWholeSystem({ tokenFloor: 120_000, takeOver }, { retries: 0 });
    const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
    const say = (messages: object[]) =>
      postJson(`${counted.url}/v1/chat/completions`, { model: "composer-2.5", tools, messages });
    const asked = { role: "user", content: "[[call look {}]] then [[fail resource_exhausted]]" };
    const { choices } = JSON.parse(await (await say([asked])).text());
    const [{ message }] = choices;
    const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "a tern" };
    for (const runs of [1, 2]) {
      const failed = await say([asked, message, result]);
      expect(failed.status).toBe(400);
      expect(await failed.json()).toMatchObject({ error: { code: "context_length_exceeded" } });
      expect(counted.simulator.stats().runs).toBe(runs);
    }
  });

  it("is too long a prompt when Cursor itself has counted that much at the last checkpoint", async () => {
    const counted = await openWholeSystem({ tokenFloor: 120_000 }, { retries: 0 });
    const say = (messages: object[]) =>
      postJson(`${counted.url}/v1/chat/completions`, { model: "composer-2.5", messages });
    const first = { role: "user", content: "[[say Here.]]" };
    expect((await say([first])).status).toBe(200);
    const answer = { role: "assistant", content: "Here." };
    const failed = await say([first, answer, { role: "user", content: "[[fail resource_exhausted]]" }]);
    expect(failed.status).toBe(400);
    expect(await failed.json()).toMatchObject({
      error: { code: "context_length_exceeded", message: expect.stringMatching(/about 120,000 tokens/) },
    });
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

it.each([
  [302, "a redirect to login.hotel.example (HTTP status 302). Your login is not affected: sign in to this network"],
  [407, "wants a user name and password (HTTP status 407): put them into HTTPS_PROXY"],
])("says what to do after HTTP status %i in Cursor's place", async (status, words) => {
  await withHost(status, { location: "https://login.hotel.example/?token=secret" }, "", async (url) => {
    const error = await ask(url, "auto");
    expect(error).toMatchObject({ status: 502, code: "network_blocked", message: expect.stringContaining(words) });
    expect(error.message).not.toContain("secret");
  });
});

it("passes on that Cursor's host is overloaded, with its retry-after", async () => {
  await withHost(503, { "retry-after": "7" }, "", async (url) => {
    expect(await ask(url, "auto")).toMatchObject({ status: 503, code: "upstream_overloaded", retryAfter: "7" });
  });
});
