import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const page = fileURLToPath(new URL("../SECURITY.md", import.meta.url));
const rows = readFileSync(page, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Promise |"))
  .map((line) => line.split(" | "));

it("SECURITY.md has six tables of promises", () => {
  expect(readFileSync(page, "utf8").match(/^\| Promise \| Held by \|$/gm)).toHaveLength(6);
  expect(rows.length).toBeGreaterThan(24);
});

it.each(rows)("a promise links to existing tests: %s", (_, held = "") => {
  const links = [...held.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)];
  expect(links.length).toBeGreaterThan(0);
  for (const [, name, path = ""] of links) {
    expect(name).toBe(path);
    expect(path).toMatch(/\.(?:test|slow)\.ts$/);
    expect(existsSync(new URL(`../${path}`, import.meta.url))).toBe(true);
  }
});
