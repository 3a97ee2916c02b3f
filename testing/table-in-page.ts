import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

/**
 * Holds a table of the docs to what the code says. `npm run generate:pages` writes the page anew.
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
