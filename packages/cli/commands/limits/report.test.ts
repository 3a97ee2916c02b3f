import { limitsInUse } from "@curlew/meter/spend/index.js";
import { expect, it } from "vitest";
import { ledgerOf, rollUp } from "../../../../testing/ledger/ledger-of.js";
import { createColors } from "../../terminal/print.js";
import { describeLimits } from "./report.js";

it("reports the tokens that dollar limits do not count, in all and per key", () => {
  const nowMs = Date.now();
  const startMs = new Date(nowMs).setHours(0, 0, 0, 0);
  const of = (client: string, model: string, input: number) =>
    rollUp({ startMs, client, isNamedKey: true, model, tokens: { input } });
  const limits = limitsInUse({
    reader: ledgerOf({ day: [of("ci", "unlisted", 1_200), of("me", "unlisted", 34), of("me", "listed", 1_000_000)] }),
    limits: { day: { dollars: 5 } },
    keys: [{ name: "ci", limits: { day: { dollars: 1 } } }],
    costOf: (model, { input }) => (model === "listed" ? input / 1_000_000 : undefined),
    plan: undefined,
    nowMs,
  });
  const text = describeLimits({ file: "", limits, allowed: {}, problems: [] }, createColors(false), 200);
  expect(text).toMatch(/^day\.dollars +\$5\.00 +\$1\.00 +20% /m);
  expect(text).toContain("\nNot counted in day.dollars: 1,234 tokens of models without a price.\n");
  expect(text).toContain("Limits in requests count turns, not their tool rounds");
  expect(text).toContain("\nNot counted in day.dollars of ci: 1,200 tokens of models without a price.\n");
});
