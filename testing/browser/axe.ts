import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The violations in a page that axe rates as serious or critical. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const violations = await page.evaluate(async (wanted): Promise<AxeResults["violations"]> => {
    const options = { runOnly: wanted, resultTypes: ["violations"] };
    const results = await Reflect.get(globalThis, "axe").run(document, options);
    return results.violations;
  }, tags);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}
