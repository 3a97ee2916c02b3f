import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { statusOfEach } from "../src/fronts/parts/status.cases.js";

const page = readFileSync(new URL("../docs/guide/troubleshooting.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| (\d{3}) \| `(\w+)` \| (.*) \| (.*) \|$/gm)].map(
  ([, status = "", code = "", meaning = "", remedy = ""]) => ({ status: Number(status), code, meaning, remedy }),
);

describe("the page about trouble", () => {
  // The compiler holds the table of statuses to the closed set of codes.
  it("has every code once, with its status, and no other", () => {
    const told = rows.map(({ code, status }) => [code, status]);
    expect(told.sort()).toEqual(Object.entries(statusOfEach).sort());
  });

  it.each(rows)("says what $code means and what to do", ({ meaning, remedy }) => {
    expect(meaning).toMatch(/^[A-Z].{10,}\.$/);
    expect(remedy).toMatch(/\.$/);
  });
});
