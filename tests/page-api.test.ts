import { hash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { limitsFile } from "../packages/cli/app/prepare/own-files.js";
import { writeLimits } from "../packages/meter/spend/index.js";
import type {
  ClientsAnswer,
  ModelsAnswer,
  NowAnswer,
  PlanAnswerBody,
  RequestAnswer,
  RequestsAnswer,
  UsageAnswer,
} from "../packages/page/access/contract.js";
import { type ChatExtras, type ChatMessage, chat, result, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem, type TestSettings, type WholeSystem } from "../testing/gateway/whole-system.js";
import { openLive } from "../testing/page/live-client.js";
import { newLink, openPage, type PageClient, secretIn } from "../testing/page/page-client.js";

const LEASE_MS = 300_000;
const KEY = "a-gateway-key-0123456789";
const Problem = z.strictObject({
  error: z.looseObject({ message: z.string().min(10), code: z.string().nullable() }),
});

let system: WholeSystem;
let page: PageClient;

async function start(settings: TestSettings = {}): Promise<void> {
  system = await startWholeSystem({}, { leaseMs: LEASE_MS, ...settings });
  page = await openPage(system.url, { link: secretIn(await newLink(system.home, system.url)) });
}

beforeEach(() => start());
afterEach(() => system.close());

async function get<Answer>(path: string): Promise<Answer> {
  const response = await page.ask(`/admin/api/${path}`);
  const text = await response.text();
  expect([response.status, response.headers.get("cache-control")], text).toEqual([200, "no-store"]);
  return JSON.parse(text);
}

async function refused(path: string): Promise<{ status: number; code: string | null; message: string }> {
  const response = await page.ask(`/admin/api/${path}`);
  const { error } = Problem.parse(JSON.parse(await response.text()));
  return { status: response.status, ...error };
}

const ask = (content: string, id: string, extras: ChatExtras = {}) =>
  chat(system.url, [{ role: "user", content }], {
    ...extras,
    headers: { "x-request-id": id, "user-agent": "claude-cli/2.1.0 (external, cli)", ...extras.headers },
  });

/** Plays the first requests of a turn with two tool rounds. */
async function turnWithTools(requests: 1 | 2 | 3): Promise<void> {
  const extras = { tools: [tool("look")] };
  const messages: ChatMessage[] = [
    { role: "user", content: "[[call look {}]] then [[call look {}]] then [[say done]] [[usage 900 40 700 0 0]]" },
  ];
  for (let request = 1; request <= requests; request++) {
    const headers = { "x-request-id": `round-${request}` };
    const { message, calls, finish } = await chat(system.url, messages, { ...extras, headers });
    expect(finish).toBe(request === 3 ? "stop" : "tool_calls");
    messages.push(message, ...calls.map((call) => result(call, "seen")));
  }
}

describe("now", () => {
  it("describes the gateway, its health and the usage of today", async () => {
    await ask("[[say hi]] [[usage 1000 50 600 0 0]]", "one");
    const { nowMs, gateway, health, today, live } = await get<NowAnswer>("now");
    expect(gateway).toMatchObject({ backend: "agent", isSimulated: false, conduct: "usual", asksForKey: false });
    expect(gateway.startedMs).toBeLessThanOrEqual(nowMs);
    expect(health).toMatchObject({
      auth: "authenticated",
      backends: [{ name: "agent", state: "ok", lastError: null }],
      mcpServers: [],
      drift: {},
      lostLogLines: 0,
    });
    const usage: { total: unknown } = JSON.parse(await (await fetch(`${system.url}/v1/usage?days=1`)).text());
    expect(today).toEqual(usage.total);
    expect(today).toMatchObject({
      requests: 1,
      input_tokens: 1000,
      saved_tokens: 600,
      cold_turns: 1,
      runs_per_message: 1,
    });
    expect(live).toEqual({ requests: [], moreRequests: 0, waiting: [], moreWaiting: 0 });
  });

  it("has requests that began before the page opened, and parked runs with the end of their lease", async () => {
    await turnWithTools(1);
    const running = ask("[[stream 3]] [[wait 3600000]]", "running").catch(() => {});
    await expect
      .poll(async () => (await get<NowAnswer>("now")).live.requests)
      .toMatchObject([
        {
          id: "running",
          client: "claude",
          dialect: "openai-chat",
          model: "auto",
          round: 0,
          continuity: "cold:new",
          firstByteMs: expect.any(Number),
        },
      ]);
    const { live, nowMs } = await get<NowAnswer>("now");
    const [waiting] = live.waiting;
    expect(waiting).toMatchObject({ id: "round-1", client: "node", model: "auto", calls: 1 });
    // The lease began between the pause and now, by a clock that differs by fractions of a millisecond.
    const leaseBeganMs = (waiting?.leaseEndsMs ?? 0) - LEASE_MS;
    expect(leaseBeganMs).toBeGreaterThanOrEqual((waiting?.pausedMs ?? Number.NaN) - 2);
    expect(leaseBeganMs).toBeLessThanOrEqual(nowMs + 2);
    const stopped = await page.ask("/admin/api/stop-all", { method: "POST" });
    expect(JSON.parse(await stopped.text())).toEqual({ replies: 1, waiting: 1 });
    await running;
    expect((await get<NowAnswer>("now")).live).toMatchObject({ requests: [], waiting: [] });
  });

  it("lists MCP servers without starting them", async () => {
    await system.close();
    await start({ mcp: { servers: { quiet: { command: "/nowhere/at/all" } } } } as TestSettings);
    expect((await get<NowAnswer>("now")).health.mcpServers).toEqual([
      { name: "quiet", isConnected: false, tools: 0, problem: null },
    ]);
  });
});

describe("the live stream", () => {
  it("begins with the whole state, then sends changes, and ends with the sums of /v1/usage", async () => {
    const live = await openLive(page);
    await live.until(({ health, today, live: state }) => health && today && state);
    expect(live.state).toMatchObject({ today: { requests: 0 }, live: { requests: [], waiting: [] } });
    await turnWithTools(2);
    await live.until(({ live: state }) => state?.waiting.length === 1);
    await ask("[[say hi]] [[usage 1000 50 600 0 0]]", "last");
    await live.until(({ today }) => today?.requests === 3);
    const usage: { total: unknown } = JSON.parse(await (await fetch(`${system.url}/v1/usage?days=1`)).text());
    expect(live.state.today).toEqual(usage.total);
    const ended = live.events.flatMap((event) => (event.name === "ended" ? event.data.entries : []));
    const { entries } = await get<RequestsAnswer>("requests");
    expect(new Set(ended.map(({ id }) => id))).toEqual(new Set(["round-1", "round-2", "last"]));
    // The ledger has an estimate for the parked turn.
    for (const { tokens, ...entry } of ended) {
      expect(entries).toContainEqual(expect.objectContaining(tokens === null ? entry : { ...entry, tokens }));
    }
    live.leave();
  });

  it("is limited to sixteen pages at a time", async () => {
    const pages = await Promise.all(Array.from({ length: 16 }, () => openLive(page)));
    expect(await refused("live")).toMatchObject({
      status: 429,
      code: "rate_limit_exceeded",
      message: expect.stringContaining("16 pages are open already"),
    });
    pages[0]?.leave();
    await expect
      .poll(async () => {
        const response = await page.ask("/admin/api/live");
        await response.body?.cancel();
        return response.status;
      })
      .toBe(200);
    for (const each of pages) each.leave();
  });

  it("has no body for HEAD", async () => {
    const response = await page.ask("/admin/api/live", { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });
});

describe("requests", () => {
  const askSome = async () => {
    for (const id of ["a", "b", "c"]) await ask("[[say hi]]", id);
    await ask("[[fail permission_denied]]", "broken", { headers: { "user-agent": "zed/1" } }).catch(() => {});
  };

  const ids = async (query: string) => (await get<RequestsAnswer>(`requests${query}`)).entries.map(({ id }) => id);

  it("come newest first, filtered by client, model and outcome", async () => {
    await askSome();
    expect(await ids("")).toEqual(["broken", "c", "b", "a"]);
    expect(await ids("?client=claude")).toEqual(["c", "b", "a"]);
    expect(await ids("?client=zed&failed=1")).toEqual(["broken"]);
    expect(await ids("?model=auto&failed=1&client=claude")).toEqual([]);
  });

  it("come in pages", async () => {
    await askSome();
    const first = await get<RequestsAnswer>("requests?limit=3");
    expect(first.entries.map(({ id }) => id)).toEqual(["broken", "c", "b"]);
    const rest = await get<RequestsAnswer>(`requests?limit=3&before=${first.before}`);
    expect(rest).toMatchObject({ entries: [{ id: "a" }], before: null });
  });

  it("are refused for an invalid query", async () => {
    const queries = {
      limit: ["requests?limit=201", "requests?limit=0", "requests?limit=1e2"],
      before: ["requests?before=1"],
      failed: ["requests?failed=yes"],
      client: [`requests?client=${"x".repeat(201)}`],
      by: ["usage?by=week"],
    };
    for (const [param, paths] of Object.entries(queries)) {
      for (const path of paths) {
        expect(await refused(path)).toMatchObject({ status: 400, code: "invalid_request", param });
      }
    }
    for (const id of ["missing", "x".repeat(200), "%00"]) {
      expect(await refused(`requests/${id}`)).toMatchObject({
        status: 404,
        message: expect.stringContaining("does not have this request"),
      });
    }
  });
});

describe("one request", () => {
  it("comes with its turn, the times of each request, and the explanation", async () => {
    await turnWithTools(3);
    const { entry, detail, turn, why, dollars } = await get<RequestAnswer>("requests/round-2");
    expect(entry).toMatchObject({ id: "round-2", round: 1, continuity: "warm", tokens: null });
    expect(detail).toMatchObject({ askedModel: "auto", clientCalls: 1, status: 200, texts: null });
    expect(turn.map((each) => each.entry.id)).toEqual(["round-1", "round-2", "round-3"]);
    for (const { entry: each, detail: more } of turn) {
      expect(more).toMatchObject({ plannedMs: expect.any(Number), openedMs: expect.any(Number) });
      expect(more?.clientCalls).toBe(each.id === "round-3" ? 0 : 1);
    }
    expect(turn[2]?.entry.tokens).toMatchObject({ input: 900, output: 40 });
    expect(why.length).toBeGreaterThan(0);
    for (const { what } of why) expect(what).toMatch(/\w.*\./);
    expect(dollars).toBeCloseTo((200 * 1.25 + 700 * 0.25 + 40 * 6) / 1_000_000, 9);
  });
});

describe("usage", () => {
  it("matches /v1/usage, and names clients even if that does not", async () => {
    await ask("[[say hi]] [[usage 1000 50 600 0 0]]", "one");
    await ask("[[say hi]]", "two", { headers: { "user-agent": "zed/1" } });
    await ask("[[say hi]]", "three", { headers: { "user-agent": "claude-cli/2.1.325 (external, cli)" } });
    for (const by of ["day", "model", "hour"]) {
      const asked = await fetch(`${system.url}/v1/usage?by=${by}&days=3`);
      const { object: _, plan: __, plan_problem: ___, ...usage } = JSON.parse(await asked.text());
      expect(await get<UsageAnswer>(`usage?by=${by}&days=3`)).toEqual(usage);
    }
    const { data, total } = await get<UsageAnswer>("usage?by=client");
    expect(data.map(({ client, requests }) => [client, requests])).toEqual([
      ["claude", 2],
      ["zed", 1],
    ]);
    expect(total.requests).toBe(3);
  });

  it("includes the plan as Cursor reports it", async () => {
    const { plan, problem } = await get<PlanAnswerBody>("plan");
    const asked: { plan: unknown } = JSON.parse(await (await fetch(`${system.url}/v1/usage`)).text());
    expect(problem).toBeNull();
    expect(plan).toEqual(asked.plan);
  });
});

describe("models and clients", () => {
  it("has models with efforts, context, price and the owner's aliases", async () => {
    await system.close();
    await start({ modelAliases: { favourite: "composer-2.5:high" } });
    const { models } = await get<ModelsAnswer>("models");
    const listed: { data: { id: string }[] } = JSON.parse(await (await fetch(`${system.url}/v1/models`)).text());
    expect(models.map(({ id }) => id)).toEqual(listed.data.map(({ id }) => id));
    const composer = models.find(({ id }) => id === "composer-2.5");
    expect(composer).toMatchObject({
      contextTokens: expect.any(Number),
      aliases: expect.arrayContaining(["favourite"]),
      price: { input: 0.5, cacheRead: 0.2, output: 2.5 },
    });
    expect(models.find(({ id }) => id === "auto")?.price).toMatchObject({ input: 1.25, output: 6 });
  });

  it("reports that Cursor refuses the login, without closing the page", async () => {
    await system.close();
    await start({ apiKey: "crsr_revoked" });
    const { status, message } = await refused("models");
    expect([status, message]).toEqual([502, expect.stringMatching(/key|login|sign/i)]);
  });

  it("never shows the gateway's key", async () => {
    await system.close();
    system = await startWholeSystem({}, { key: KEY });
    page = await openPage(system.url, { key: KEY });
    const answer = await get<ClientsAnswer>("clients");
    expect(answer.asksForKey).toBe(true);
    expect(JSON.stringify(answer)).not.toContain(KEY);
    expect(answer.clients.find(({ name }) => name === "claude")?.snippet?.text).toContain("YOUR_KEY");
  });

  it("never shows the hash of a key, which could reveal a short one", async () => {
    await system.close();
    system = await startWholeSystem({}, { key: KEY });
    page = await openPage(system.url, { key: KEY });
    const live = await openLive(page);
    await ask("[[say hi]]", "with-a-key", { headers: { authorization: `Bearer ${KEY}` } });
    await live.until(() => live.events.some(({ name }) => name === "ended"));
    const shown = [live.events, await get("requests"), await get("requests/with-a-key"), await get("now")];
    for (const encoding of ["base64url", "base64", "hex"] as const) {
      expect(JSON.stringify(shown)).not.toContain(hash("sha256", KEY, encoding));
    }
    live.leave();
  });
});

describe("the playground", () => {
  const body = (content: string, fields: object = {}) => ({
    method: "POST",
    headers: { "content-type": "application/json", "x-request-id": "played" },
    body: JSON.stringify({ model: "auto", messages: [{ role: "user", content }], stream: true, ...fields }),
  });

  it("streams a chat like for any client, and is a client in the ledger", async () => {
    const extras = { tools: [tool("look")] };
    const streamed = await page.ask("/admin/api/chat/completions", body("[[say hi]] [[call look {}]]", extras));
    expect(streamed.headers.get("content-type")).toContain("text/event-stream");
    expect(streamed.headers.get("cache-control")).toBe("no-store");
    const text = await streamed.text();
    expect(text).toContain('"content":"hi"');
    expect(text).toContain('"finish_reason":"tool_calls"');
    const { entries } = await get<RequestsAnswer>("requests");
    expect(entries).toMatchObject([{ id: "played", client: "playground", outcome: "ok" }]);
    expect((await get<ClientsAnswer>("clients")).others).toEqual([]);
  });

  it("shares no conversations with clients, even without keys", async () => {
    const messages = [{ role: "user", content: "[[say first]]" }];
    await ask("[[say first]]", "theirs");
    const answered = { role: "assistant", content: "first" };
    const next = { messages: [...messages, answered, { role: "user", content: "[[say second]]" }] };
    const response = await page.ask("/admin/api/chat/completions", body("", next));
    await response.text();
    expect(response.headers.get("x-curlew-continuity")).toMatch(/^cold/);
    const theirs = await chat(system.url, next.messages as ChatMessage[]);
    expect(theirs.continuity).toBe("warm");
  });

  it("is subject to the owner's limits", async () => {
    writeLimits(limitsFile(system), { day: { requests: 1 } });
    const first = await page.ask("/admin/api/chat/completions", body("[[say hi]]"));
    await first.text();
    const second = await page.ask("/admin/api/chat/completions", body("[[say again]]"));
    expect([first.status, second.status]).toEqual([200, 429]);
    expect(JSON.parse(await second.text())).toMatchObject({ error: { code: "quota_exceeded" } });
  });
});
