import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Sums, UsageAnswer } from "../../packages/page/access/contract.js";
import { numbersIn, readUsage } from "../../testing/browser/read-usage.js";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import type { StagedPage } from "../../testing/browser/staged-page.js";
import { playTraffic } from "../../testing/browser/traffic.js";
import { chat } from "../../testing/clients/tool-client.js";
import { sampleMonth } from "../../testing/ledger/sample-month.js";
import { writeLedger } from "../../testing/ledger/write-ledger.js";

/** Without a key, only the page names clients; /v1/usage does not. */
const KEY = "a-gateway-key-0123";
let stage: Stage;
let staged: StagedPage;

beforeAll(async () => {
  const month = sampleMonth({ nowMs: Date.now(), days: 40, conversations: 4 });
  stage = await Stage.start({ key: KEY }, (home) => writeLedger(home, month));
  await playTraffic(stage.system.url, KEY);
  staged = await stage.open();
  await staged.show("Usage");
});
afterAll(() => stage?.close());
afterEach(() => expect(staged.watch.faults).toEqual([]));

const usage = (by: UsageAnswer["by"], days: number) => readUsage(stage.system.url, by, days, KEY);
const card = (name: string) => staged.page.getByRole("region", { name, exact: true });

const press = (what: string, name: string) =>
  card(name)
    .getByRole("button", { name: `${what}: ${name}` })
    .click();

/** The sums that a region of the page shows, by their names in /v1/usage. */
async function sumsIn(name: string): Promise<Record<string, number>> {
  const found = await card(name)
    .locator("[data-sum]")
    .evaluateAll((elements) =>
      elements.map(
        (element) => [element.getAttribute("data-sum") ?? "", Number(element.getAttribute("data-value"))] as const,
      ),
    );
  return Object.fromEntries(found);
}

/** The gateway's own sums with those names. Dollars are summed in another order, so their last digits may differ. */
function sumsOf(total: Sums, names: readonly string[]): Record<string, unknown> {
  const all: Record<string, unknown> = { ...total, dollars: expect.closeTo(total.cost.dollars ?? -1, 9) };
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

/** Chooses a range, and waits until its sums are shown. */
async function choose(title: string, days: number): Promise<void> {
  await staged.page.getByRole("button", { name: title, exact: true }).click();
  await expect.poll(async () => (await sumsIn("Totals")).requests).toBe((await usage("model", days)).total.requests);
}

const tableOf = (name: string) =>
  card(name)
    .locator("tbody tr, tfoot tr")
    .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));

const headOf = (name: string) => card(name).getByRole("columnheader").allTextContents();

const ranges = [
  { title: "Today", days: 1 },
  { title: "7 days", days: 7 },
  { title: "30 days", days: 30 },
  { title: "90 days", days: 90 },
];

describe.each(ranges)("the usage of $title", ({ title, days }) => {
  it("has the sums of /v1/usage", async () => {
    await choose(title, days);
    const { total } = await usage("model", days);
    const shown = await sumsIn("Totals");
    expect(Object.keys(shown).length).toBeGreaterThanOrEqual(9);
    expect(shown).toEqual(sumsOf(total, Object.keys(shown)));
    expect(total.input_tokens).toBeGreaterThan(100_000);
  });

  it.each(["model", "client"] as const)("has a row for each %s with its sums, and a total", async (by) => {
    await choose(title, days);
    const name = `By ${by}`;
    await press("Show as table", name);
    const { data, total } = await usage(by, days);
    const columns = await headOf(name);
    const rows = await tableOf(name);
    const cell = (row: readonly string[], column: string) => row[columns.indexOf(column)] ?? "";
    const foot = await sumsIn(name);
    expect(foot).toEqual(sumsOf(total, Object.keys(foot)));
    expect(Object.keys(foot).length).toBe(8);
    expect(rows.length).toBe(data.length + 1);
    for (const row of data) {
      const shown = rows.find(([first]) => first === (row[by] || "unknown")) ?? [];
      expect(
        ["Input", "Cached input", "Output", "Requests", "Turns"].map((column) => numbersIn(cell(shown, column))[0]),
      ).toEqual([row.input_tokens, row.cache_read_tokens, row.output_tokens, row.requests, row.turns]);
    }
    await press("Show as plot", name);
  });
});

describe("the plot of the days", () => {
  const plot = () => staged.page.getByRole("slider", { name: /^Tokens by day/ });

  /** The gateway's sums of the last seven days, oldest first. */
  async function days(): Promise<{ cached: number; fresh: number; output: number; all: number }[]> {
    const { data } = await usage("day", 7);
    return [6, 5, 4, 3, 2, 1, 0].map((ago) => {
      const date = new Date();
      date.setDate(date.getDate() - ago);
      const rows = data.filter(({ day }) => day === date.toLocaleDateString("sv-SE"));
      const sumOf = (name: "cache_read_tokens" | "input_tokens" | "output_tokens") =>
        rows.reduce((sum, row) => sum + row[name], 0);
      const [cached, input, output] = [sumOf("cache_read_tokens"), sumOf("input_tokens"), sumOf("output_tokens")];
      return { cached, fresh: input - cached, output, all: input + output };
    });
  }

  it("announces the value of each bar on arrow keys", async () => {
    await choose("7 days", 7);
    await plot().focus();
    await staged.page.keyboard.press("Home");
    for (const [index, { cached, fresh, output, all }] of (await days()).entries()) {
      await expect.poll(() => plot().getAttribute("aria-valuenow")).toBe(String(index));
      const said = (await plot().getAttribute("aria-valuetext")) ?? "";
      expect(numbersIn(said.slice(said.indexOf(":")))).toEqual([cached, fresh, output, all]);
      // The visible legend has the same values.
      const shown = await card("Tokens by day").locator("dd").allTextContents();
      expect(shown.map((text) => numbersIn(text)[0])).toEqual([all, cached, fresh, output]);
      await staged.page.keyboard.press("ArrowRight");
    }
  });

  it("has bars as high as their values", async () => {
    await choose("7 days", 7);
    const heights = await plot().evaluate((element) =>
      [...element.querySelectorAll("svg g g")]
        .filter((group) => group.querySelector(":scope > path[style]") !== null)
        .map((group) => group.getBoundingClientRect().height),
    );
    const values = (await days()).map(({ all }) => all);
    expect(heights.length).toBe(values.length);
    const most = Math.max(...values);
    const highest = Math.max(...heights);
    expect(highest).toBeGreaterThan(50);
    for (const [index, value] of values.entries()) {
      // Small values are drawn at a visible height, so a bar may be a little too high.
      expect(Math.abs((heights[index] ?? 0) - (value / most) * highest)).toBeLessThanOrEqual(3);
    }
  });

  it("can be read as a table, and copied", async () => {
    await choose("7 days", 7);
    const name = "Tokens by day";
    await press("Show as table", name);
    const rows = (await tableOf(name)).slice(0, -1);
    const wanted = (await days()).reverse();
    expect(rows.map((row) => row.slice(1, 5).map((text) => numbersIn(text)[0]))).toEqual(
      wanted.map(({ cached, fresh, output, all }) => [cached, fresh, output, all]),
    );
    await staged.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await press("Copy CSV", name);
    await shows(card(name).getByText("Copied").first());
    const csv = await staged.page.evaluate(() => navigator.clipboard.readText());
    expect(csv.trimEnd().split("\n").length).toBeGreaterThanOrEqual(8);
    expect(csv).toContain(String(wanted[0]?.all));
    await press("Show as plot", name);
  });

  it("can show costs", async () => {
    await choose("7 days", 7);
    await staged.page.getByRole("button", { name: "Cost", exact: true }).click();
    const { total } = await usage("day", 7);
    const whole = await card("Cost by day").locator("dd").first().textContent();
    expect(Number(whole?.replace(/[$,]/g, ""))).toBeCloseTo(total.cost.dollars ?? -1, 2);
    await staged.page.getByRole("button", { name: "Tokens", exact: true }).click();
  });

  it("grows with new requests", async () => {
    await choose("7 days", 7);
    const before = (await sumsIn("Totals")).requests ?? 0;
    await chat(stage.system.url, [{ role: "user", content: "[[say One more.]]" }], { key: KEY });
    await expect.poll(async () => (await sumsIn("Totals")).requests).toBe(before + 1);
  });
});
