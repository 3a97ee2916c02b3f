import { readCursorPlan } from "@curlew/gateway/backends/cursor/plan.js";
import { describe, expect, it } from "vitest";
import { type AskedServer, askedServer } from "../../../testing/gateway/asked-server.js";
import { ledgerOf, rollUp } from "../../../testing/ledger/ledger-of.js";
import { createPrices } from "../prices/prices.js";
import { reportUsage } from "../usage/index.js";
import type { UsageSource } from "./index.js";

const KEY = "a-gateway-key-0123";
const nowMs = new Date(2026, 10, 16, 20).getTime();
const today = new Date(2026, 10, 16).getTime();
const tokens = { input: 1_000_000, output: 100_000, cacheRead: 600_000, reasoning: 5 };
const ledger = ledgerOf({
  day: [
    rollUp({
      ...{ startMs: today, client: "zed", model: "composer-2.5", requests: 3, turns: 2, warm: 3, cold: 1, tokens },
      ...{ messages: 4, runs: 6, compaction: 2 },
    }),
    rollUp({
      startMs: today,
      client: "cline",
      model: "beta",
      requests: 2,
      failures: 1,
      turns: 1,
      estimatedTurns: 1,
      tokens,
    }),
  ],
  hour: [rollUp({ startMs: today + 3_600_000, client: "zed", model: "composer-2.5", requests: 3, tokens })],
});
const plan = readCursorPlan({ planUsage: { totalPercentUsed: 31 }, spendLimitUsage: { individualUsed: 350 } }, {});

const source = (changes: Partial<UsageSource> = {}): UsageSource => ({
  report: async (question) => reportUsage(ledger, { ...question, nowMs, prices: createPrices({}) }),
  plan: async () => ({ plan, problem: null }),
  ...changes,
});

let server: AskedServer;

async function start(usage = source(), key?: string): Promise<void> {
  server = await askedServer({ usage, config: { key } });
}

async function ask(query: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/v1/usage${query}`, { headers });
  const body = JSON.parse(await response.text());
  return { status: response.status, body };
}

describe("GET /v1/usage", () => {
  it("has sums by day and model, shares, savings by the cache, and the plan", async () => {
    await start();
    const { status, body } = await ask("");
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: "curlew.usage", by: "day", days: 7, plan_problem: null });
    expect(body.data).toHaveLength(2);
    expect(body.data[0]).toEqual({
      day: "2026-11-16",
      starts_at: "2026-11-15T23:00:00.000Z",
      model: "composer-2.5",
      requests: 3,
      failures: 0,
      messages: 4,
      turns: 2,
      estimated_turns: 0,
      input_tokens: 1_000_000,
      output_tokens: 100_000,
      cache_read_tokens: 600_000,
      cache_write_tokens: 0,
      reasoning_tokens: 5,
      cache_share: 0.6,
      saved_tokens: 600_000,
      warm_turns: 3,
      cold_turns: 1,
      warm_share: 0.75,
      runs: 6,
      runs_per_message: 1.5,
      side_runs: { title: 0, suggestion: 0, compaction: 2, check: 0 },
      retries: 0,
      sent_bytes: 0,
      received_bytes: 0,
      cost: { dollars: expect.closeTo(0.4 * 0.5 + 0.6 * 0.2 + 0.1 * 2.5, 9), unpriced_models: [] },
    });
    expect(body.plan).toMatchObject({ percent_used: 31, on_demand: { used_cents: 350, limit_cents: null } });
  });

  it("lists models without a price instead of ignoring them", async () => {
    await start();
    const { body } = await ask("?by=model");
    expect(body.data.map(({ cost }: { cost: object }) => cost)).toEqual([
      { dollars: expect.any(Number), unpriced_models: [] },
      { dollars: null, unpriced_models: ["beta"] },
    ]);
    expect(body.total.cost).toEqual({ dollars: expect.closeTo(0.57, 9), unpriced_models: ["beta"] });
  });

  it("has the hours of one day by default", async () => {
    await start();
    const { body } = await ask("?by=hour");
    expect(body).toMatchObject({ days: 1, data: [{ day: "2026-11-16", starts_at: "2026-11-16T00:00:00.000Z" }] });
    expect(body.data[0]).not.toHaveProperty("model");
  });

  it("is served without /v1 too, read-only", async () => {
    await start();
    expect((await fetch(`${server.url}/usage`)).status).toBe(200);
    expect((await fetch(`${server.url}/v1/usage`, { method: "POST" })).status).toBe(405);
  });

  it("works without the plan, and says why it is missing", async () => {
    await start(source({ plan: async () => ({ plan: null, problem: "Cursor has not answered within 2 s." }) }));
    const { status, body } = await ask("");
    expect({ status, ...body }).toMatchObject({
      status: 200,
      plan: null,
      plan_problem: "Cursor has not answered within 2 s.",
      total: { requests: 5 },
    });
  });

  it.each([
    ["?by=week", "by", "must be one of day, model, client, hour"],
    ["?days=0", "days", "must be a whole number from 1 to 3650"],
    ["?days=1e2", "days", "must be a whole number from 1 to 3650"],
    ["?by=hour&days=32", "days", "must be a whole number from 1 to 31 with by=hour"],
  ])("refuses %s", async (query, param, message) => {
    await start();
    const { status, body } = await ask(query);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "invalid_request", param, message: expect.stringContaining(message) });
  });
});

describe("the names of clients", () => {
  it("are only in rows by client", async () => {
    await start();
    const names = async (by: string) => JSON.stringify((await ask(`?by=${by}`)).body).match(/zed|cline/g);
    expect(await Promise.all(["day", "model", "hour", "client"].map(names))).toEqual([
      null,
      null,
      null,
      ["zed", "cline"],
    ]);
  });

  it("require the gateway's key, if it has one", async () => {
    await start(source(), KEY);
    expect((await ask("?by=client")).status).toBe(401);
    const { body } = await ask("?by=client", { authorization: `Bearer ${KEY}` });
    expect(body.data.map(({ client }: { client: string }) => client)).toEqual(["zed", "cline"]);
  });
});
