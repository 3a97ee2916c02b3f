import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { describe, expect, it, onTestFinished } from "vitest";
import { dayStart, midnight, Spans } from "./spans.js";

const HOUR_MS = 3_600_000;
/** The clocks go back by an hour on 25 October 2026 in Paris, and forward on 29 March. */
const autumn = new Date(2026, 9, 25).getTime();
const spring = new Date(2026, 2, 29).getTime();

describe("days", () => {
  it.each([
    ["autumn", autumn, 25],
    ["spring", spring, 23],
  ])("have as many hours as the clocks say in %s", (_, startMs, hours) => {
    const spans = new Spans();
    const moments = Array.from({ length: hours }, (_, hour) => startMs + hour * HOUR_MS);
    expect(new Set(moments.map((ms) => spans.startOfDay(ms)))).toEqual(new Set([startMs]));
    expect(moments.map((ms) => spans.startOfHour(ms + 1_799_999))).toEqual(moments);
    expect(spans.startOfDay(startMs - 1)).toBe(midnight(startMs, -1));
    expect(spans.startOfDay(startMs + hours * HOUR_MS)).toBe(midnight(startMs, 1));
    expect(midnight(startMs, 1) - startMs).toBe(hours * HOUR_MS);
  });

  it("are found in any order", () => {
    const spans = new Spans();
    const ages = [0, 3, 1, 2, 0, -1, 400];
    for (const age of ages) {
      const ms = midnight(autumn, -age) + 5 * HOUR_MS;
      expect([spans.startOfDay(ms), spans.startOfHour(ms + 1)]).toEqual([midnight(autumn, -age), ms]);
    }
  });

  it("are read from their names", () => {
    expect(dayStart("2026-10-25")).toBe(autumn);
    for (const day of ["2026-02-30", "2026-13-01", "yesterday", "2026-1-1", ""]) expect(dayStart(day)).toBeUndefined();
  });
});

it("lets hours begin with the clock on the wall where that is half an hour off", async () => {
  const folder = mkdtempSync(join(tmpdir(), "curlew-spans-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const entry = join(folder, "entry.js");
  const source = fileURLToPath(new URL("./spans.ts", import.meta.url));
  const moment = "new Date(2026, 10, 16, 10, 59)";
  writeFileSync(
    entry,
    `import { Spans } from ${JSON.stringify(source)};
     console.log(new Date(new Spans().startOfHour(${moment}.getTime())).toString());`,
  );
  const program = join(folder, "program.mjs");
  await build({ input: entry, platform: "node", output: { file: program, format: "esm" } });
  const said = execFileSync(process.execPath, [program], {
    env: { ...process.env, TZ: "Asia/Kolkata" },
    encoding: "utf8",
  });
  expect(said).toContain("10:00:00 GMT+0530");
});
