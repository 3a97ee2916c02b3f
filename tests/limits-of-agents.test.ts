import { fileURLToPath } from "node:url";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { keysFile, limitsFile } from "../packages/cli/app/prepare/own-files.js";
import { makeKey, writeKeys } from "../packages/meter/keys/index.js";
import { writeLimits } from "../packages/meter/spend/index.js";
import { postJson } from "../testing/clients/post-json.js";
import { startWholeSystem, type TestSettings, type WholeSystem } from "../testing/gateway/whole-system.js";
import { startGatewayProcess } from "../testing/programs/gateway-process.js";

let system: WholeSystem;
afterEach(() => system.close());

interface Answer {
  readonly status: number;
  /** The calls at the end of the reply. */
  readonly calls: readonly string[];
  readonly tokens: number;
  readonly warnings: string;
  readonly continuity: string | null;
  readonly shouldRetry: string | null;
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

/** Requests and replies of an agent in one dialect. */
interface Dialect {
  readonly name: string;
  readonly path: string;
  body(transcript: readonly object[]): object;
  user(text: string): object;
  result(id: string): object;
  // biome-ignore lint/suspicious/noExplicitAny: each dialect has a shape of its own
  read(reply: any): { readonly said: readonly object[]; readonly calls: readonly string[]; readonly tokens: number };
}

const schema = { type: "object", properties: {} };
const names = ["a", "b"];

const chat: Dialect = {
  name: "Chat Completions",
  path: "/v1/chat/completions",
  body: (messages) => ({
    model: "auto",
    messages,
    tools: names.map((name) => ({ type: "function", function: { name, parameters: schema } })),
  }),
  user: (content) => ({ role: "user", content }),
  result: (id) => ({ role: "tool", tool_call_id: id, content: "done" }),
  read: ({ choices: [{ message }], usage }) => ({
    said: [message],
    calls: (message.tool_calls ?? []).map(({ id }: { id: string }) => id),
    tokens: usage.total_tokens,
  }),
};

const responses: Dialect = {
  name: "Responses",
  path: "/v1/responses",
  body: (input) => ({
    model: "auto",
    input,
    store: false,
    tools: names.map((name) => ({ type: "function", name, parameters: schema })),
  }),
  user: (content) => ({ role: "user", content }),
  result: (id) => ({ type: "function_call_output", call_id: id, output: "done" }),
  read: ({ output, usage }) => ({
    said: output,
    calls: output.flatMap(({ call_id }: { call_id?: string }) => call_id ?? []),
    tokens: usage.total_tokens,
  }),
};

const messages: Dialect = {
  name: "Messages",
  path: "/v1/messages",
  body: (transcript) => ({
    model: "auto",
    max_tokens: 32_000,
    messages: transcript,
    tools: names.map((name) => ({ name, input_schema: schema })),
  }),
  user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  result: (id) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "done" }] }),
  read: ({ content, usage }) => ({
    said: [{ role: "assistant", content }],
    calls: content.flatMap(({ type, id }: { type: string; id: string }) => (type === "tool_use" ? [id] : [])),
    tokens:
      usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens + usage.output_tokens,
  }),
};

const dialects = [chat, responses, messages];

/** An agent with one conversation. Refused messages are not kept, and can be sent again. */
class Agent {
  readonly dialect: Dialect;
  readonly key: string;
  url = system.url;
  transcript: readonly object[] = [];
  calls: readonly string[] = [];

  constructor(dialect: Dialect, key = "") {
    this.dialect = dialect;
    this.key = key;
  }

  say(text: string): Promise<Answer> {
    return this.send([this.dialect.user(text)]);
  }

  /** Sends the results of the last calls, with optional words. */
  bring(words?: string): Promise<Answer> {
    const { result, user } = this.dialect;
    return this.send([...this.calls.map(result), ...(words === undefined ? [] : [user(words)])]);
  }

  async send(added: readonly object[]): Promise<Answer> {
    const { path, body, read } = this.dialect;
    const headers = { ...(this.key && { authorization: `Bearer ${this.key}` }) };
    const response = await postJson(`${this.url}${path}`, body([...this.transcript, ...added]), headers);
    const reply = JSON.parse(await response.text());
    const header = (name: string) => response.headers.get(name);
    const { said, calls, tokens } = response.ok ? read(reply) : { said: [], calls: [], tokens: 0 };
    if (response.ok) {
      this.transcript = [...this.transcript, ...added, ...said];
      this.calls = calls;
    }
    return {
      status: response.status,
      calls,
      tokens,
      warnings: header("x-curlew-warnings") ?? "",
      continuity: header("x-curlew-continuity"),
      shouldRetry: header("x-should-retry"),
      error: reply.error ?? undefined,
    };
  }
}

/** Repeats the request until the gateway has noticed the raised limit. */
async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
  let answer = await send();
  const again = async () => {
    if (answer.status !== 200) answer = await send();
    return answer.status;
  };
  await expect.poll(again).toBe(200);
  return answer;
}

const ROUNDS = 60;
/** One message for which the model calls a tool 60 times, at about 1,000 tokens each. */
const WORK = `${"word ".repeat(400)}${"[[call a {}]] then ".repeat(ROUNDS)}[[say finished]]`;

describe.each(dialects)("one message with 60 tool rounds, in $name", (dialect) => {
  beforeEach(async () => {
    system = await startWholeSystem({}, { toolLoopMaxRepeat: 1_000 });
  });

  it("is stopped 10 % beyond the owner's limit, and continues in the same run once it is raised", async () => {
    writeLimits(limitsFile(system), { day: { tokens: 20_000 } });
    const agent = new Agent(dialect);
    const rounds = [await agent.say(WORK)];
    let used = rounds[0]?.tokens ?? 0;
    let answer = await agent.bring();
    while (answer.status === 200) {
      expect(used).toBeLessThanOrEqual(22_000);
      const near = used < 18_000 ? "" : `The limit day.tokens is ${used < 20_000 ? "near" : "reached"}: `;
      expect(answer.warnings.slice(0, near.length || undefined)).toBe(near);
      rounds.push(answer);
      used += answer.tokens;
      answer = await agent.bring();
    }
    expect(used).toBeGreaterThan(22_000);
    expect(used).toBeLessThanOrEqual(22_000 + Math.max(...rounds.map(({ tokens }) => tokens)));
    expect(answer).toMatchObject({ status: 429, shouldRetry: "false", error: { code: "quota_exceeded" } });
    expect(answer.error?.message).toMatch(
      /the run waits for its results until 20\d\d-\d\d-\d\d \d\d:\d\d\..* curlew limits set day\.tokens \d+$/,
    );

    const before = system.simulator.stats();
    for (let again = 0; again < 3; again++) expect(await agent.bring()).toMatchObject({ status: 429 });
    expect(await new Agent(dialect).say("Another question.")).toMatchObject({ status: 429 });
    expect(system.simulator.stats()).toMatchObject({ runs: 1, runsOpen: 1, execsAnswered: before.execsAnswered });

    writeLimits(limitsFile(system), { day: { tokens: 1_000_000 } });
    let last = await untilAnswered(() => agent.bring());
    expect(last.continuity).toBe("warm");
    for (let round = rounds.length + 1; round < ROUNDS; round++) last = await agent.bring();
    expect((await agent.bring()).calls).toEqual([]);
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAbandoned: 0 });
  });
});

/** A message with two calls, whose first reply takes more than 2,000 tokens. */
const TWO_CALLS = `${"word ".repeat(2_000)}[[call a {}]] [[call b {}]] then [[say done]]`;

describe.each(dialects)("words beside results, in $name", (dialect) => {
  it("count as a question, which a key over its ceiling cannot ask", async () => {
    system = await startWholeSystem();
    const { tokens } = await new Agent(dialect).say(TWO_CALLS);
    await system.close();
    const { secret, stored } = makeKey("guest", { day: { tokens } }, Date.now());
    system = await startWholeSystem({}, {}, async (home) => writeKeys(keysFile({ home }), [stored]));
    const agent = new Agent(dialect, secret);
    expect(await agent.say(TWO_CALLS)).toMatchObject({ tokens });
    expect(await new Agent(dialect, secret).say("A plain question.")).toMatchObject({ status: 429 });
    const { bytesIn } = system.simulator.stats();
    for (let count = 0; count < 15; count++) {
      const refused = await agent.bring(`New question ${count}. [[call a {}]] [[call b {}]]`);
      expect(refused).toMatchObject({ status: 429, shouldRetry: "false", error: { code: "quota_exceeded" } });
      expect(refused.error?.message).toContain("curlew keys limit guest --day-tokens");
    }
    expect(system.simulator.stats()).toMatchObject({ runs: 1, runsOpen: 1, bytesIn });
    // Results alone are accepted, also with the client's own reminders.
    const reminder = "<system-reminder>Your list of tasks is empty.</system-reminder>";
    expect(await agent.bring(reminder)).toMatchObject({ status: 200, calls: [], continuity: "warm" });
  });
});

describe("ways around a limit", () => {
  const start = async (settings: TestSettings = {}) => {
    system = await startWholeSystem({}, settings, async (home) =>
      writeLimits(limitsFile({ home }), { day: { tokens: 1_000 } }),
    );
  };
  const untouched = () => expect(system.simulator.stats()).toMatchObject({ runs: 1, runsOpen: 1, execsAbandoned: 0 });

  it("are closed: results one by one, twice, out of order, with words or an edited history", async () => {
    await start();
    const agent = new Agent(chat);
    await agent.say(TWO_CALLS);
    const [a = {}, b = {}] = agent.calls.map(chat.result);
    const words = chat.user("[[say sneaked in]]");
    const [asked = {}, called = {}] = agent.transcript;
    const again = {
      ...called,
      tool_calls: "tool_calls" in called && Array.isArray(called.tool_calls) ? called.tool_calls.slice(1) : [],
    };
    const roads = [[a], [b], [b, a], [a, words, b], [words, a, again, b], [a, words], [a, b, words], [a, b], [a, b]];
    const answers = await Promise.all(roads.map((added) => agent.send(added)));
    agent.transcript = [{ ...asked, content: "Edited." }, called];
    answers.push(await agent.bring());
    expect(answers.map(({ error }) => error?.code)).toEqual(answers.map(() => "quota_exceeded"));
    untouched();
  });

  it("are closed: stored responses, background responses, a WebSocket", async () => {
    await start();
    const client = new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused", maxRetries: 0 });
    const tools = names.map((name) => ({ type: "function" as const, name, parameters: schema, strict: false }));
    const first = await client.responses.create({ model: "auto", tools, input: TWO_CALLS });
    const calls = first.output.filter((item) => item.type === "function_call");
    const input = calls.map(({ call_id }) => ({ type: "function_call_output" as const, call_id, output: "done" }));
    const next = { model: "auto", tools, input, previous_response_id: first.id };
    await expect(client.responses.create(next)).rejects.toMatchObject({ status: 429, code: "quota_exceeded" });
    const { id } = await client.responses.create({ ...next, background: true });
    await expect.poll(async () => (await client.responses.retrieve(id)).status).toBe("failed");
    const socket = new ResponsesWS(client);
    const told = new Promise((resolve) => socket.on("event", (event) => event.type === "error" && resolve(event)));
    socket.on("error", () => {});
    socket.send({ type: "response.create", ...next });
    expect(await told).toMatchObject({ error: { code: "quota_exceeded" } });
    socket.close();
    untouched();
    writeLimits(limitsFile(system), { day: { tokens: 1_000_000 } });
    const text = () =>
      client.responses.create(next).then(
        (reply) => reply.output_text,
        () => "refused",
      );
    await expect.poll(text).toMatch(/done$/);
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAbandoned: 0 });
  });

  it.each([
    ["the lease is over", { leaseMs: 1_000 }],
    ["a restart", {}],
  ])("are closed after %s, and the work resumes once the limit is raised", async (why, settings) => {
    await start(settings);
    const agent = new Agent(messages);
    await agent.say(TWO_CALLS);
    if (why === "a restart") {
      await system.closeGateways();
      agent.url = await system.startAnother();
    }
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    expect(await agent.bring()).toMatchObject({ status: 429, error: { code: "quota_exceeded" } });
    writeLimits(limitsFile(system), { day: { tokens: 1_000_000 } });
    expect(await untilAnswered(() => agent.bring())).toMatchObject({ calls: [], continuity: "resumed" });
    expect(system.simulator.stats().runs).toBe(2);
  });

  it("are closed after a kill, which does not lose a run whose results were refused", async () => {
    await start();
    await system.closeGateways();
    let gateway = await startGatewayProcess(system.simulator.url, system.home);
    const agent = new Agent(chat);
    agent.url = gateway.url;
    await agent.say(TWO_CALLS);
    const refused = { status: 429, error: { code: "quota_exceeded" } };
    expect(await agent.bring()).toMatchObject(refused);
    await gateway.kill();
    gateway = await startGatewayProcess(system.simulator.url, system.home);
    onTestFinished(() => gateway.kill());
    agent.url = gateway.url;
    expect(await agent.bring()).toMatchObject(refused);
    expect(system.simulator.stats().runs).toBe(1);
    writeLimits(limitsFile(system), { day: { tokens: 1_000_000 } });
    expect(await untilAnswered(() => agent.bring())).toMatchObject({ calls: [], continuity: "resumed" });
    expect(system.simulator.stats().runs).toBe(2);
  });

  it("are closed: MCP tools", async () => {
    const program = fileURLToPath(new URL("../testing/programs/mcp-server.js", import.meta.url));
    const servers = { test: { command: process.execPath, args: [program] } };
    system = await startWholeSystem({}, { toolLoopMaxRepeat: 1_000, mcp: { servers } }, async (home) =>
      writeLimits(limitsFile({ home }), { day: { tokens: 20_000 } }),
    );
    const calls = Array.from({ length: ROUNDS }, (_, index) => `[[call mcp__test__echo {"text":"${index}"}]] then `);
    const answer = await new Agent(chat).say(`${"word ".repeat(400)}${calls.join("")}[[say finished]]`);
    expect(answer).toMatchObject({ status: 429, error: { code: "quota_exceeded" } });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    const { execsAnswered } = system.simulator.stats();
    expect(execsAnswered).toBeGreaterThan(5);
    expect(execsAnswered).toBeLessThan(ROUNDS / 2);
  });
});

it("the holder of a key does not see the usage of all clients", async () => {
  const [guest, other] = ["guest", "other"].map((name) => makeKey(name, {}, Date.now()));
  system = await startWholeSystem({}, {}, async (home) => {
    writeKeys(
      keysFile({ home }),
      [guest?.stored, other?.stored].flatMap((stored) => stored ?? []),
    );
    writeLimits(limitsFile({ home }), { day: { tokens: 10_000 }, plan: { percent: 33 } });
  });
  await new Agent(chat, other?.secret).say("Hello.");
  await new Agent(chat, other?.secret).say(`${"word ".repeat(7_300)}[[say Noted.]]`);
  const { warnings } = await new Agent(chat, guest?.secret).say("Hello.");
  expect(warnings).toContain("The limit day.tokens of this gateway is near. Its owner can raise it");
  expect(warnings).toContain("The limit plan.percent of this gateway is near.");
  expect(warnings).not.toMatch(/10,000|31/);
  await new Agent(chat, other?.secret).say("word ".repeat(2_000));
  const refused = await new Agent(chat, guest?.secret).say("Hello.");
  expect(refused.error?.message).toMatch(/^The limit day\.tokens of this gateway is reached\. Its owner can raise it/);
});
