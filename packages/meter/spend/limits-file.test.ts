import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import { readLimits, watchLimits, writeLimits } from "./limits-file.js";

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "curlew-limits-"));
  path = join(home, "limits.json");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe("the file of limits", () => {
  it("is read as written, and readable only by its owner", () => {
    const limits = {
      day: { tokens: 5_000_000, dollars: 2.5 },
      plan: { percent: 80, models: ["claude-*"] },
      client: { concurrent: 1_000 },
      allowed: { abc: {} },
    };
    writeLimits(path, limits);
    expect(readLimits(path)).toEqual(limits);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("may be missing", () => {
    expect(readLimits(path)).toEqual({});
  });

  it.each([
    ["{", "is not valid JSON"],
    ["[]", "The file must be one JSON object"],
    ['{"day":{"tokens":0}}', "day.tokens must be a whole number from 1"],
    ['{"day":{"tokens":"many"}}', "day.tokens must be a whole number from 1"],
    ['{"hour":{"dollars":-1}}', "hour.dollars must be an amount above 0"],
    ['{"day":{"token":1}}', "There is no limit day.token."],
    ['{"plan":{"percent":80,"models":[]}}', "plan.models must be up to 100 model names"],
  ])("is rejected with the location of the error: %s", (text, message) => {
    writeFileSync(path, text);
    expect(() => readLimits(path)).toThrow(message);
    expect(() => readLimits(path)).toThrow(path);
  });

  it("is not overwritten with invalid limits", () => {
    writeLimits(path, { day: { tokens: 1 } });
    expect(() => writeLimits(path, { day: { tokens: 0.5 } })).toThrow("day.tokens must be");
    expect(readLimits(path)).toEqual({ day: { tokens: 1 } });
  });
});

it("is watched, and a broken file changes nothing", () => {
  const clock = new ManualClock();
  const problems: unknown[] = [];
  const onProblem = (problem: unknown) => problems.push(problem);
  const watched = watchLimits({ path, first: {}, elapsed: clock.elapsed, onProblem });
  expect(watched.current).toEqual({});
  writeLimits(path, { day: { requests: 7 } });
  clock.advance(1_000);
  expect(watched.current).toEqual({ day: { requests: 7 } });
  writeFileSync(path, "{ broken");
  clock.advance(1_000);
  expect(watched.current).toEqual({ day: { requests: 7 } });
  expect(problems).toHaveLength(1);
});
