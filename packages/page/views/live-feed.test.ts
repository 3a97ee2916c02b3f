import { hasSubscribers } from "node:diagnostics_channel";
import { setImmediate } from "node:timers/promises";
import { publish } from "@curlew/gateway/turn/events/channels.js";
import { createPrices } from "@curlew/meter/prices/prices.js";
import { reportUsage, writeSum } from "@curlew/meter/usage/index.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseSse } from "../../../testing/clients/parse-sse.js";
import { ledgerOf } from "../../../testing/ledger/ledger-of.js";
import { playRequest, sampleRecord } from "../../../testing/ledger/sample-requests.js";
import { ManualClock } from "../../../testing/manual-clock.js";
import type { HealthState, LiveEvent, LiveState, Sums } from "../access/contract.js";
import { LiveFeed, type LiveListener } from "./live-feed.js";

const NOW_MS = 1_800_000_000_000;

/** A page that records what it is sent. */
class Page implements LiveListener {
  isReady = true;
  hasEnded = false;
  readonly sent: Buffer[] = [];

  send(bytes: Buffer): void {
    this.sent.push(bytes);
  }

  end(): void {
    this.hasEnded = true;
  }

  get events(): LiveEvent[] {
    return this.sent.flatMap((bytes) =>
      parseSse(bytes.toString()).map(({ event, data }) => ({ name: event, data: JSON.parse(data) }) as LiveEvent),
    );
  }

  /** The parts of each `now` message, in order. */
  get parts(): string[][] {
    return this.events.flatMap(({ name, data }) => (name === "now" ? [Object.keys(data).slice(1)] : []));
  }

  get ended() {
    return this.events.flatMap((event) => (event.name === "ended" ? [event.data] : []));
  }
}

function feedUnderTest() {
  const clock = new ManualClock(NOW_MS);
  const state: { live: LiveState; health: Partial<HealthState>; requests: number } = {
    live: { requests: [], moreRequests: 0, waiting: [], moreWaiting: 0 },
    health: { auth: "unchecked" },
    requests: 0,
  };
  const asked = { live: 0, health: 0, today: 0 };
  const problems: unknown[] = [];
  const nothing = writeSum(
    reportUsage(ledgerOf(), { by: "model", days: 1, nowMs: NOW_MS, prices: createPrices({}) }).total,
  );
  const feed = new LiveFeed({
    gatewayId: "gateway",
    clock,
    live() {
      asked.live++;
      return state.live;
    },
    health() {
      asked.health++;
      return state.health as HealthState;
    },
    async today(): Promise<Sums> {
      asked.today++;
      if (state.requests < 0) throw new Error("The ledger is gone.");
      return { ...nothing, requests: state.requests };
    },
    onProblem: (problem) => problems.push(problem),
  });
  /** Advances the clock in small steps, with promises settling in between. */
  const pass = async (ms: number) => {
    for (let rest = ms; rest > 0; rest -= 50) {
      clock.advance(Math.min(50, rest));
      await setImmediate();
    }
  };
  const join = (page: Page) => {
    const joined = feed.join(page);
    onTestFinished(() => joined.leave());
    return joined;
  };
  /** A page that has received the full state. */
  const look = async () => {
    const page = new Page();
    join(page);
    await pass(1_000);
    return page;
  };
  return { clock, state, asked, problems, feed, join, pass, look };
}

describe("a connected page", () => {
  it("gets the full state first, and then only a comment every 20 seconds while nothing happens", async () => {
    const { look, asked, pass } = feedUnderTest();
    const page = await look();
    expect(page.parts.flat().sort()).toEqual(["health", "live", "today"]);
    const first = page.sent.length;
    expect(first).toBeLessThanOrEqual(2);
    await pass(60_000);
    expect(page.sent.slice(first).map(String)).toEqual([": nothing new\n\n", ": nothing new\n\n"]);
    // The first beat came in a period with messages.
    expect(asked).toEqual({ live: 1, health: 31, today: 4 });
  });

  it("gets the full state even if sums are still being read for a page that has left", async () => {
    const { join, look } = feedUnderTest();
    join(new Page()).leave();
    expect((await look()).parts.flat().sort()).toEqual(["health", "live", "today"]);
  });

  it("gets only what has changed", async () => {
    const { look, state, pass } = feedUnderTest();
    const page = await look();
    page.sent.length = 0;
    const record = sampleRecord("one", NOW_MS);
    state.live = { ...state.live, moreRequests: 1 };
    publish("curlew:request:received", record);
    await pass(1_000);
    expect(page.events).toEqual([{ name: "now", data: { nowMs: expect.any(Number), live: state.live } }]);
    state.health = { auth: "authenticated" };
    await pass(2_500);
    expect(page.parts).toEqual([["live"], ["health"]]);
    // Events that change nothing.
    publish("curlew:request:first-byte", record);
    publish("curlew:request:received", { ...record, gateway: "another" });
    await pass(1_000);
    expect(page.sent).toHaveLength(2);
    state.requests = 1;
    publish("curlew:request:finished", record);
    await pass(2_000);
    expect(page.parts.slice(2)).toEqual([["today"]]);
    expect(page.ended).toMatchObject([{ entries: [{ id: "one", tokens: { input: 1_000 } }], skipped: 0 }]);
  });

  it("is the only reason for listeners: there are none before it comes and after it has left", async () => {
    const { feed, join, clock, pass } = feedUnderTest();
    const names = ["received", "first-byte", "finished"].map((name) => `curlew:request:${name}`);
    const listened = () => names.map((name) => hasSubscribers(name));
    expect(listened()).toEqual([false, false, false]);
    const joined = [join(new Page()), join(new Page())];
    expect([feed.size, ...listened()]).toEqual([2, true, true, true]);
    await pass(500);
    joined[0]?.leave();
    expect(listened()).toEqual([true, true, true]);
    joined[1]?.leave();
    joined[1]?.leave();
    expect([feed.size, ...listened()]).toEqual([0, false, false, false]);
    await setImmediate();
    expect(clock.sleeping).toBe(0);
    const late = new Page();
    join(late);
    await pass(500);
    expect(late.parts.flat().sort()).toEqual(["health", "live", "today"]);
  });
});

describe("many requests", () => {
  it("are sent at most four times a second, forty at a time, and the rest is counted", async () => {
    const { look, state, asked, pass } = feedUnderTest();
    const page = await look();
    page.sent.length = 0;
    const before = { ...asked };
    for (let tick = 0; tick < 80; tick++) {
      for (let number = 0; number < 25; number++) playRequest(sampleRecord(`${tick}-${number}`, NOW_MS + tick));
      state.live = { ...state.live, moreRequests: tick };
      state.requests += 25;
      await pass(50);
    }
    await pass(3_000);
    expect(page.sent.length).toBeGreaterThan(10);
    expect(page.sent.length).toBeLessThanOrEqual(4 * 4 + 2);
    for (const { entries } of page.ended) expect(entries.length).toBeLessThanOrEqual(40);
    const told = page.ended.reduce((sum, { entries, skipped }) => sum + entries.length + skipped, 0);
    expect(told).toBe(2_000);
    // Newest first.
    expect(page.ended.at(-1)?.entries[0]?.id).toBe("79-24");
    expect(asked.live - before.live).toBeLessThanOrEqual(17);
    expect(asked.today - before.today).toBeLessThanOrEqual(4);
    const sums = page.events.flatMap((event) => (event.name === "now" && event.data.today ? [event.data.today] : []));
    expect(sums.at(-1)?.requests).toBe(2_000);
  });

  it("are one message for all pages, and are counted for a page that was not ready", async () => {
    const { join, state, pass } = feedUnderTest();
    const pages = [new Page(), new Page(), new Page()];
    for (const page of pages) join(page);
    await pass(1_000);
    for (const page of pages) page.sent.length = 0;
    const [first, second, slow] = pages as [Page, Page, Page];
    slow.isReady = false;
    for (let number = 0; number < 60; number++) playRequest(sampleRecord(`early-${number}`, NOW_MS));
    state.live = { ...state.live, moreRequests: 1 };
    await pass(1_000);
    expect(first.sent).toHaveLength(1);
    expect(second.sent[0]).toBe(first.sent[0]);
    expect(slow.sent).toEqual([]);
    slow.isReady = true;
    await pass(1_000);
    expect(slow.parts).toEqual([["live"]]);
    expect(slow.ended).toEqual([{ entries: [], skipped: 60 }]);
    expect(first.sent).toHaveLength(1);
  });
});

describe("a page that stops reading", () => {
  it("is disconnected after a minute", async () => {
    const { look, pass } = feedUnderTest();
    const page = await look();
    page.isReady = false;
    await pass(40_000);
    expect(page.hasEnded).toBe(false);
    await pass(20_000);
    expect(page.hasEnded).toBe(true);
  });
});

it("reports an unreadable ledger, and keeps sending the other parts", async () => {
  const { look, state, problems, pass } = feedUnderTest();
  state.requests = -1;
  const page = await look();
  expect(page.parts).toEqual([["live", "health"]]);
  expect(problems).toEqual([new Error("The ledger is gone.")]);
  state.requests = 3;
  await pass(30_000);
  expect(page.parts).toEqual([["live", "health"], ["today"]]);
});
