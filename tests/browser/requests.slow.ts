import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { JournalDetail, LedgerEntry } from "../../packages/meter/ledger/index.js";
import { openLedgerReader } from "../../packages/meter/ledger/index.js";
import { exactDuration } from "../../packages/page/browser/requests/timeline/ticks.js";
import { phaseNames } from "../../packages/page/browser/requests/timeline/turn-times.js";
import { numbersIn } from "../../testing/browser/read-usage.js";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import type { StagedPage } from "../../testing/browser/staged-page.js";
import { holdRequest, type PlayedTraffic, playTraffic } from "../../testing/browser/traffic.js";
import { chat } from "../../testing/clients/tool-client.js";
import { runCurlew } from "../../testing/programs/curlew-process.js";

let stage: Stage;
let staged: StagedPage;
let played: PlayedTraffic;

beforeAll(async () => {
  stage = await Stage.start();
  played = await playTraffic(stage.system.url);
  staged = await stage.open();
  await staged.show("Requests");
});
afterAll(() => stage?.close());
afterEach(() => expect(staged.watch.faults).toEqual([]));

const list = () => staged.page.getByRole("region", { name: "List of requests" });
const rows = () => list().getByRole("listitem").getByRole("link");
const card = (name: string) => staged.page.getByRole("region", { name, exact: true });

/** The ids in the order of the list. */
const listed = () =>
  rows().evaluateAll((links) => links.map((link) => (link.getAttribute("href") ?? "").replace(/^.*\/|\?.*$/g, "")));

async function openRequest(id: string): Promise<void> {
  await staged.page.goto(`${stage.system.url}/#/requests/${id}`);
  await staged.page.getByRole("article").getByText(id, { exact: true }).waitFor();
  await staged.settled();
}

describe("the list of requests", () => {
  it("has those of the ledger, newest first", async () => {
    const entries = await stage.logged();
    expect(entries.length).toBe(19);
    expect(await listed()).toEqual(entries.map(({ id }) => id).reverse());
    const { input = -1, output = -1 } = entries.find(({ id }) => id === "messages-1")?.tokens ?? {};
    expect([input, output]).toEqual([31_000, 520]);
    await shows(
      rows().filter({ hasText: "claude-cli/2.1.0" }).filter({ hasText: "31.0k in" }).filter({ hasText: "520 out" }),
    );
  });

  it("can be filtered by client, by model, by failure and by id", async () => {
    const { page } = staged;
    await page.getByRole("combobox", { name: "Client" }).selectOption("cline");
    await expect.poll(listed).toEqual((await stage.logged("--client", "cline")).map(({ id }) => id).reverse());
    await page.getByLabel("Only failed").check();
    await expect.poll(listed).toEqual(Object.keys(played.failures).reverse());
    for (const code of Object.values(played.failures)) await shows(list().getByText(code.replaceAll("_", " ")).first());
    // The filters are part of the address.
    await page.reload();
    await expect.poll(listed).toEqual(Object.keys(played.failures).reverse());
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("combobox", { name: "Model" }).selectOption("claude-opus-4-8-high");
    await expect.poll(listed).toEqual(["messages-1"]);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Part of a request's id").fill("tools-");
    await expect.poll(listed).toEqual(["tools-3", "tools-2", "tools-1"]);
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(async () => (await listed()).length).toBe(19);
  });

  it("grows live, and does not move under the pointer", async () => {
    const { page } = staged;
    await page.mouse.move(0, 0);
    const say = (id: string) =>
      chat(stage.system.url, [{ role: "user", content: "[[say New.]]" }], { headers: { "x-request-id": id } });
    await say("came-by-itself");
    await expect.poll(async () => (await listed())[0]).toBe("came-by-itself");
    await rows().nth(2).hover();
    const before = await rows().nth(2).boundingBox();
    await say("came-unseen");
    const news = list().getByRole("button", { name: "1 new request" });
    await shows(news);
    expect(await rows().nth(2).boundingBox()).toEqual(before);
    expect((await listed())[0]).toBe("came-by-itself");
    await news.click();
    await expect.poll(async () => (await listed())[0]).toBe("came-unseen");
  });
});

describe("the timeline of a turn with two pauses for tools", () => {
  let turn: { readonly entry: LedgerEntry; readonly detail: JournalDetail }[];
  beforeAll(async () => {
    const reader = await openLedgerReader(join(stage.system.home, "ledger"));
    turn = played.toolTurn.map((id) => {
      const [entry] = reader.entries({ id, limit: 1 });
      const detail = entry && reader.detail(entry);
      if (entry === undefined || detail === undefined) throw new Error(`${id} is not in the ledger`);
      return { entry, detail };
    });
    await openRequest(played.toolTurn[2]);
  });

  /** The expected segments, from the ledger, in ms since the beginning of the turn. */
  function spans(): { lane: number; phase: keyof typeof phaseNames; fromMs: number; toMs: number }[] {
    const beganMs = turn[0]?.entry.atMs ?? 0;
    return turn.flatMap(({ entry, detail }, lane) => {
      const startMs = entry.atMs - beganMs;
      const openedMs = startMs + (detail.openedMs ?? detail.plannedMs ?? 0);
      const firstMs = startMs + (entry.firstByteMs ?? 0);
      const endMs = startMs + (entry.totalMs ?? 0);
      return [
        ...(detail.clientToolsMs > 0
          ? [{ lane, phase: "client-tools" as const, fromMs: startMs - detail.clientToolsMs, toMs: startMs }]
          : []),
        { lane, phase: "curlew" as const, fromMs: startMs, toMs: openedMs },
        { lane, phase: "cursor" as const, fromMs: openedMs, toMs: firstMs },
        { lane, phase: "reply" as const, fromMs: firstMs, toMs: endMs },
      ].filter(({ fromMs, toMs }) => toMs > fromMs);
    });
  }

  const segments = (): Locator => card("Timeline").getByRole("img");

  it("has a lane for each request, with its phases", async () => {
    const labels = await segments().evaluateAll((found) => found.map((each) => each.getAttribute("aria-label")));
    const names = labels.map((label) => label?.split(":")[0]);
    const wanted = spans().map(({ lane, phase }) => `Request ${lane + 1}, ${phaseNames[phase]}`);
    expect(names.sort()).toEqual(wanted.toSorted());
    expect(wanted.filter((name) => name.includes(phaseNames["client-tools"]))).toHaveLength(2);
    const lanes = card("Timeline").getByRole("link", { name: /^Request \d$/ });
    expect(await lanes.count()).toBe(3);
    expect(await card("Timeline").locator("[aria-current]").getAttribute("href")).toBe("#/requests/tools-3");
  });

  it("is drawn to the scale of its axis, within a pixel", async () => {
    const wholeMs = Math.max(...spans().map(({ toMs }) => toMs));
    // Read the scale from the positions and texts of the axis.
    const axis = await card("Timeline")
      .locator("svg text[text-anchor]")
      .evaluateAll((texts) =>
        texts.map((text) => ({
          says: text.textContent ?? "",
          x: Number(text.getAttribute("x")) + (text.closest("svg")?.getBoundingClientRect().x ?? 0),
        })),
      );
    const ticks = axis.map(({ says, x }) => ({ ms: Number.parseFloat(says) * (says.endsWith(" s") ? 1_000 : 1), x }));
    const [first, last] = [ticks[0], ticks.at(-1)];
    if (first === undefined || last === undefined || first === last) throw new Error("The timeline has no axis.");
    expect(first.ms).toBe(0);
    expect(last.ms).toBeLessThanOrEqual(wholeMs);
    const pxPerMs = (last.x - first.x) / last.ms;
    expect(pxPerMs * wholeMs).toBeGreaterThan(300);

    const drawn = await segments().evaluateAll((found) =>
      found.map((each) => {
        const { x, y, width } = (each.querySelector("rect") ?? each).getBoundingClientRect();
        return { label: each.getAttribute("aria-label") ?? "", x, y, width };
      }),
    );
    const tops: number[] = [];
    for (const { lane, phase, fromMs, toMs } of spans()) {
      const found = drawn.find(({ label }) => label.startsWith(`Request ${lane + 1}, ${phaseNames[phase]}:`));
      expect(found, `${lane} ${phase}`).toBeDefined();
      if (found === undefined) continue;
      tops[lane] ??= found.y;
      const wantedX = first.x + fromMs * pxPerMs;
      const wantedWidth = (toMs - fromMs) * pxPerMs;
      // Segments that would be invisible are drawn a little wider.
      const slack = Math.max(1, 3 - wantedWidth);
      expect(Math.abs(found.x - wantedX), `where ${found.label} begins`).toBeLessThanOrEqual(slack);
      expect(Math.abs(found.width - wantedWidth), `how long ${found.label} is`).toBeLessThanOrEqual(slack);
    }
    expect(tops).toEqual([...tops].sort((one, other) => one - other));
    expect(new Set(tops).size).toBe(3);
  });

  it("shows pauses as long as the client's tools took", async () => {
    const pauses = segments().filter({ has: staged.page.locator(".client-tools") });
    const labels = await pauses.evaluateAll((found) => found.map((each) => each.getAttribute("aria-label")));
    for (const [pause, wantedMs] of played.toolsMs.entries()) {
      const tookMs = turn[pause + 1]?.detail.clientToolsMs ?? 0;
      expect(tookMs).toBeGreaterThanOrEqual(wantedMs - 1); // the timer and the gateway use different clocks
      expect(labels[pause]).toContain(`tools: ${exactDuration(tookMs)}, from`);
    }
  });

  it("has the same numbers in a table", async () => {
    await card("Timeline").getByText("The same as a table").click();
    const cells = await card("Timeline")
      .getByRole("row")
      .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
    const lines = cells.filter(([name = ""]) => Object.values(phaseNames).includes(name)).map(([name]) => name);
    expect(lines).toEqual(spans().map(({ phase }) => phaseNames[phase]));
  });

  it("can be limited to the request", async () => {
    await card("Timeline").getByRole("button", { name: "This request" }).click();
    await expect.poll(() => segments().count()).toBeLessThan(spans().length);
    const labels = await segments().evaluateAll((found) => found.map((each) => each.getAttribute("aria-label")));
    expect(labels.length).toBeGreaterThan(1);
    expect(labels.filter((label) => !label?.startsWith("Request 3, "))).toEqual([]);
    await card("Timeline").getByRole("button", { name: "Whole turn" }).click();
  });

  it("stands beside the booked usage of the turn", async () => {
    const { input = 0, output = 0, cacheRead = 0 } = turn[2]?.entry.tokens ?? {};
    expect([input, output, cacheRead]).toEqual([52_000, 900, 48_000]);
    const label = await card("Tokens").getByRole("img").first().getAttribute("aria-label");
    expect(numbersIn(label)).toEqual([cacheRead, input - cacheRead, output]);
  });
});

describe("the details of a request", () => {
  it("explain why it was expensive, as curlew logs does", async () => {
    await openRequest(played.edited);
    const { stdout } = await runCurlew(["logs", played.edited, "--json"], { env: { CURLEW_HOME: stage.system.home } });
    const { why: paragraphs }: { why: { what: string; advice: string | null }[] } = JSON.parse(stdout);
    expect(paragraphs.length).toBeGreaterThan(0);
    for (const { what, advice } of paragraphs) {
      await shows(card("What it cost, and why").getByText(what));
      if (advice !== null) await shows(card("What it cost, and why").getByText(advice));
    }
  });

  it("show the error", async () => {
    const [entry] = (await stage.logged()).filter(({ id }) => id === "limited");
    await openRequest("limited");
    await shows(card("What happened, and why").getByText(entry?.message ?? "no message"));
  });

  it("mark estimates", async () => {
    await openRequest(played.left);
    await shows(
      card("Tokens")
        .getByText(/Estimated/)
        .first(),
    );
  });

  it("of an unknown request link back to the list", async () => {
    staged.watch.allow(/404/);
    await openRequest("no-such-request");
    await staged.page.getByRole("link", { name: "Show the list of requests" }).click();
    await shows(rows().first());
    expect(new URL(staged.page.url()).hash).toBe("#/requests");
  });

  it("follow a request while it runs", async () => {
    const leave = holdRequest(stage.system.url, { headers: { "x-request-id": "still-running" } });
    await staged.show("Now");
    await card("Running now").locator('a[href="#/requests/still-running"]').click();
    await shows(staged.page.getByText("running", { exact: true }).first());
    await leave();
    await shows(card("The request").getByText("client left"));
    expect(await staged.page.getByText("running", { exact: true }).count()).toBe(0);
  });
});
