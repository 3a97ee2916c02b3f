import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { JournalDetail, LedgerEntry } from "../../packages/meter/ledger/index.js";
import { openLedgerReader } from "../../packages/meter/ledger/index.js";
import { phaseNames } from "../../packages/page/browser/requests/timeline/turn-times.js";
import { numbersIn } from "../../testing/browser/read-usage.js";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import type { StagedPage } from "../../testing/browser/staged-page.js";
import { type PlayedTraffic, playTraffic } from "../../testing/browser/traffic.js";

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
    await shows(rows().filter({ hasText: "claude" }).filter({ hasText: "31.0k in" }).filter({ hasText: "520 out" }));
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

  it("stands beside the booked usage of the turn", async () => {
    const { input = 0, output = 0, cacheRead = 0 } = turn[2]?.entry.tokens ?? {};
    expect([input, output, cacheRead]).toEqual([52_000, 900, 48_000]);
    const label = await card("Tokens").getByRole("img").first().getAttribute("aria-label");
    expect(numbersIn(label)).toEqual([cacheRead, input - cacheRead, output]);
  });
});

describe("the details of a request", () => {
  it("of an unknown request link back to the list", async () => {
    staged.watch.allow(/404/);
    await openRequest("no-such-request");
    await staged.page.getByRole("link", { name: "Show the list of requests" }).click();
    await shows(rows().first());
    expect(new URL(staged.page.url()).hash).toBe("#/requests");
  });
});
