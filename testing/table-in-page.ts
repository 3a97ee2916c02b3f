import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

/**
 * Compares a table of the docs with the code. `npm run generate:pages` rewrites the page.
 *
 * @param head the first row of the table, by which it is found
 */
export async function expectTable(page: URL, head: string, rows: readonly string[]): Promise<void> {
  const lines = readFileSync(page, "utf8").split("\n");
  const start = lines.indexOf(head) + 2;
  expect(start, `a table ${head}`).toBeGreaterThan(1);
  const length = lines.slice(start).findIndex((line) => !line.startsWith("|"));
  await expect(lines.toSpliced(start, length, ...rows).join("\n")).toMatchFileSnapshot(fileURLToPath(page));
}
