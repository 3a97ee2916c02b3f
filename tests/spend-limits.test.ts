import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { limitsFile } from "../packages/cli/app/prepare/own-files.js";
import { replaceFile } from "../packages/gateway/system/replace-file.js";
import { type Limits, writeLimits } from "../packages/meter/spend/index.js";
import { postJson } from "../testing/clients/post-json.js";
import { chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

let system: WholeSystem;
afterEach(() => system.close());

const start = async (limits: Limits) => {
  system = await startWholeSystem();
  writeLimits(limitsFile(system), limits);
};
/** A turn of exactly 1,000 tokens. */
const THOUSAND = "[[usage 900 100 0 0 0]] [[say ok]]";
const chatBody = (content: string) => ({ model: "auto", messages: [user(content)] });
const dialects: [string, string, (content: string) => object, string][] = [
  ["Chat Completions", "/v1/chat/completions", chatBody, "insufficient_quota"],
  ["Responses", "/v1/responses", (input) => ({ model: "auto", input }), "insufficient_quota"],
  ["Messages", "/v1/messages", (content) => ({ ...chatBody(content), max_tokens: 1_000 }), "rate_limit_error"],
];

async function post(path: string, body: object, headers: Record<string, string> = {}, url = system.url) {
  const response = await postJson(`${url}${path}`, body, headers);
  const { error } = (await response.json()) as { error?: { code: string; type: string; message: string } };
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    error,
    warnings: header("x-curlew-warnings"),
    shouldRetry: header("x-should-retry"),
    retryAfter: header("retry-after"),
  };
}

describe("a ceiling set by the owner", () => {
  it.each(dialects)("%s: refuses in the dialect's own form, without asking Cursor", async (_, path, body, type) => {
    await start({ hour: { tokens: 1_000 } });
    expect(await post(path, body(THOUSAND))).toMatchObject({ status: 200 });
    const refused = await post(path, body("more"));
    expect(refused).toMatchObject({ status: 429, error: { code: "quota_exceeded", type }, shouldRetry: "false" });
    expect(refused.error?.message).toContain("The limit hour.tokens is reached: 1,000 of 1,000 tokens used.");
    expect(refused.error?.message).toContain("curlew limits set hour.tokens 2000");
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(Number(refused.retryAfter)).toBeLessThanOrEqual(3_600);
    expect(system.simulator.stats().runs).toBe(1);
  });

  it("warns in the reply's headers before it refuses", async () => {
    await start({ day: { tokens: 1_100 } });
    const path = "/v1/chat/completions";
    expect(await post(path, chatBody(THOUSAND))).toMatchObject({ warnings: null });
    const { warnings } = await post(path, chatBody(THOUSAND));
    expect(warnings).toContain("The limit day.tokens is near: 1,000 of 1,100 tokens used.");
    // retry-after depends on the time of day: `spend-guard.test.ts` tests it with a fake clock.
    expect(await post(path, chatBody("more"))).toMatchObject({ status: 429 });
  });
});

describe("a conversation over its ceiling", () => {
  it("stops within one turn, and continues after the owner has raised it", async () => {
    await start({ conversation: { tokens: 1_500 } });
    const messages = [user(`One. ${THOUSAND}`)];
    for (const words of ["Two.", "Three."]) {
      const { message } = await chat(system.url, messages);
      messages.push(message, user(`${words} ${THOUSAND}`));
    }
    await expect(chat(system.url, messages)).rejects.toMatchObject({ status: 429, code: "quota_exceeded" });
    await chat(system.url, [user("Another conversation.")]);
    expect(system.simulator.stats().runs).toBe(3);

    writeLimits(limitsFile(system), { conversation: { tokens: 10_000 } });
    await expect
      .poll(() =>
        chat(system.url, messages).then(
          ({ continuity }) => continuity,
          () => "refused",
        ),
      )
      .toBe("warm");
    expect(system.simulator.stats().runs).toBe(4);
  });
});

describe("results that do not fit their parked run", () => {
  const ask = '[[call add {"a":1}]] [[say done]]';
  const tools = [tool("add")];

  it("begin a run like any other turn, so a ceiling stops them", async () => {
    await start({ day: { requests: 1 } });
    const { message, calls } = await chat(system.url, [user(ask)], { tools });
    const misfit = [user("Edited."), message, result(calls[0], "2"), user(`Again: ${ask}`)];
    await expect(chat(system.url, misfit, { tools })).rejects.toMatchObject({ status: 429, code: "quota_exceeded" });
    expect(system.simulator.stats().runs).toBe(1);
    const fitting = [user(ask), message, result(calls[0], "2")];
    expect(await chat(system.url, fitting, { tools })).toMatchObject({ finish: "stop", continuity: "warm" });
  });

  it("are counted once, and only if accepted", async () => {
    await start({ day: { requests: 3 } });
    const { message, calls } = await chat(system.url, [user(ask)], { tools });
    const misfit = [user("Edited."), message, result(calls[0], "2"), user("[[say ok]]")];
    expect(await chat(system.url, misfit, { tools })).toMatchObject({ finish: "stop" });
    expect(await chat(system.url, [user("The third.")])).toMatchObject({ finish: "stop" });
    await expect(chat(system.url, [user("The fourth.")])).rejects.toMatchObject({
      message: expect.stringContaining("3 of 3 requests"),
    });
  });
});

describe("concurrent requests of a client", () => {
  it("are limited, and the client may retry", async () => {
    await start({ client: { concurrent: 1 } });
    const leaving = new AbortController();
    const path = "/v1/chat/completions";
    const long = { ...chatBody("[[say Wait.]] [[wait 60000]]"), stream: true };
    const busy = await postJson(`${system.url}${path}`, long, {}, leaving.signal);
    expect(busy.status).toBe(200);
    const refused = await post(path, chatBody("hi"));
    expect(refused).toMatchObject({
      status: 429,
      error: { code: "rate_limit_exceeded", type: "rate_limit_error" },
      retryAfter: "1",
      shouldRetry: null,
    });
    expect(await post(path, chatBody("hi"), { "user-agent": "other/1" })).toMatchObject({ status: 200 });
    leaving.abort();
    await expect.poll(async () => (await post(path, chatBody("hi"))).status).toBe(200);
  });
});

describe("after a restart", () => {
  it("earlier usage still counts, overall and per conversation", async () => {
    await start({});
    const messages = [user(`One. ${THOUSAND}`)];
    const { message } = await chat(system.url, messages);
    messages.push(message, user(`Two. ${THOUSAND}`));
    writeLimits(limitsFile(system), { conversation: { tokens: 1_000 } });
    const second = await system.startAnother();
    await expect(chat(second, messages)).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining("The limit conversation.tokens is reached: 1,000 of 1,000 tokens"),
    });
    expect(await chat(second, [user("Another conversation.")])).toMatchObject({ finish: "stop" });
    writeLimits(limitsFile(system), { hour: { requests: 2 } });
    // Refused requests do not count.
    const third = await system.startAnother();
    await expect(chat(third, messages)).rejects.toMatchObject({
      message: expect.stringContaining("The limit hour.requests is reached: 2 of 2 requests"),
    });
  });
});

it("after a restart, a repeated first message does not reset the usage of its conversation", async () => {
  await start({ conversation: { tokens: 2_500 } });
  const messages = [user(`One. ${THOUSAND}`)];
  for (const words of ["Two.", "Three."]) {
    const { message } = await chat(system.url, messages);
    messages.push(message, user(`${words} ${THOUSAND}`));
  }
  const second = await system.startAnother();
  await chat(second, messages.slice(0, 1));
  await expect(chat(second, messages)).rejects.toMatchObject({
    message: expect.stringContaining("3,000 of 2,500 tokens"),
  });
});

it("in pass-through mode, limits count per account, also after a restart", async () => {
  system = await startWholeSystem({}, { passThrough: true, apiKey: undefined });
  writeLimits(limitsFile(system), { day: { requests: 1 } });
  const ask = (account: string, url?: string) =>
    post("/v1/chat/completions", chatBody("hi"), { authorization: `Bearer crsr_${account}` }, url);
  expect(await ask("one")).toMatchObject({ status: 200 });
  expect(await ask("one")).toMatchObject({ status: 429 });
  expect(await ask("two")).toMatchObject({ status: 200 });
  const next = await system.startAnother();
  expect(await ask("two", next)).toMatchObject({ status: 429 });
  expect(await ask("three", next)).toMatchObject({ status: 200 });
});

it("a gateway does not start with an invalid limits file", async () => {
  await start({ day: { requests: 2 } });
  replaceFile(limitsFile(system), "{ broken");
  const refused = { name: "StartError", code: "limits_unusable" };
  const fileAndFix = new RegExp(`${limitsFile(system)} is not valid JSON: .+ Fix the file, or delete it`);
  await expect(system.startAnother()).rejects.toMatchObject({ ...refused, message: expect.stringMatching(fileAndFix) });
  replaceFile(limitsFile(system), '{ "day": { "requests": "two" } }');
  const place = "day.requests must be a whole number";
  await expect(system.startAnother()).rejects.toMatchObject({ ...refused, message: expect.stringContaining(place) });
  rmSync(limitsFile(system));
  symlinkSync(join(system.home, "not-mounted"), limitsFile(system));
  const unread = "limits.json cannot be read: ENOENT";
  await expect(system.startAnother()).rejects.toMatchObject({ ...refused, message: expect.stringContaining(unread) });
});
