import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LedgerUnderTest } from "../../../testing/ledger/ledger-under-test.js";
import { pauseRequest, playRequest, sampleRecord } from "../../../testing/ledger/sample-requests.js";
import { createPrices } from "../prices/prices.js";
import { reportUsage } from "../usage/index.js";

const NOW_MS = new Date(2026, 10, 16, 10, 40).getTime();
const DAY_MS = 86_400_000;

/** A ledger with two messages of yesterday, one with a tool round, by two versions of one client, and one with a key. */
async function ledgerOfYesterday(): Promise<LedgerUnderTest> {
  const t = new LedgerUnderTest(NOW_MS);
  const ledger = t.open();
  const [old, current] = [NOW_MS - DAY_MS, NOW_MS - DAY_MS + 1_000];
  playRequest(sampleRecord("old", old, { client: "claude-cli/2.1.0", continuity: "cold:new" }));
  const changes = { client: "claude-cli/2.1.325", turnId: "current" };
  pauseRequest(sampleRecord("current", current, { ...changes, turnUsage: undefined }));
  playRequest(sampleRecord("results", current + 1, { ...changes, round: 1, runs: 0, bringsWords: false }));
  playRequest(sampleRecord("key", current + 2, { client: "codex-at-work", isNamedKey: true }));
  await t.summedUp(1);
  await ledger.close();
  return t;
}

function rewrite(t: LedgerUnderTest, names: readonly string[], change: (text: string) => string): void {
  for (const path of names.map((name) => join(t.folder, name))) {
    writeFileSync(path, change(readFileSync(path, "utf8")));
  }
}

it("reads requests that were recorded with versions of clients, and without whether they bring words", async () => {
  const t = await ledgerOfYesterday();
  rewrite(t, t.files(), (text) => text.replaceAll(/"(?:bringsWords|isNamedKey)":\w+,/g, ""));
  const reader = t.read();
  const ids = (client: string) => reader.entries({ client, limit: 9 }).map(({ id }) => id);
  expect([ids("claude"), ids("claude-cli")]).toEqual([["results", "current", "old"], []]);
  const options = { by: "client", days: 7, nowMs: NOW_MS, prices: createPrices({}) } as const;
  const { rows } = reportUsage(reader, options);
  expect(rows).toMatchObject([
    { client: "claude", sum: { requests: 3, messages: 2, runs: 2, warm: 1, cold: 1 } },
    { client: "codex-at-work", sum: { requests: 1 } },
  ]);
  const ofKey = (client: string) => reportUsage(reader, { ...options, client }).total.requests;
  expect([ofKey("claude"), ofKey("codex-at-work")]).toEqual([0, 1]);
  expect(t.problems).toEqual([]);
});

it("sums up again what an earlier version has summed up with fewer counters", async () => {
  const t = await ledgerOfYesterday();
  const clients = () =>
    t
      .read()
      .rollUps("day", 0, NOW_MS)
      .map(({ client }) => client);
  rewrite(t, t.sums(), (text) => text.replaceAll(/claude-cli.[\d.]+/g, "as-summed-up"));
  expect(clients()).toEqual(["as-summed-up", "as-summed-up", "codex-at-work"]);
  rewrite(t, t.sums(), (text) => text.replace('{"sizes":', '{"files":'));
  expect(clients()).toEqual(["claude", "codex-at-work"]);
});
