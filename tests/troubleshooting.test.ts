import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { statusOfEach } from "../packages/gateway/fronts/parts/status.cases.js";

const page = readFileSync(new URL("../docs/guide/troubleshooting.md", import.meta.url), "utf8");

// The compiler checks that the table of statuses has every code.
it("the troubleshooting page has every error code once, with its status, and no others", () => {
  const rows = [...page.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)].map(([, status, code]) => [code, Number(status)]);
  expect(rows.sort()).toEqual(Object.entries(statusOfEach).sort());
});
