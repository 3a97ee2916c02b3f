import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Sums, UsageAnswer } from "../../packages/page/access/contract.js";
import { readUsage } from "../../testing/browser/read-usage.js";
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
});

it("grows with new requests", async () => {
  await choose("7 days", 7);
  const before = (await sumsIn("Totals")).requests ?? 0;
  await chat(stage.system.url, [{ role: "user", content: "[[say One more.]]" }], { key: KEY });
  await expect.poll(async () => (await sumsIn("Totals")).requests).toBe(before + 1);
});
