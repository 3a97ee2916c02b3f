import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createColors } from "../../terminal/print.js";
import { describeConduct, ownClients } from "./conduct.js";

const wire = readFileSync(new URL("../../../../docs/protocol/wire.md", import.meta.url), "utf8");

describe("what is said about Cursor's own clients", () => {
  it.each([
    [ownClients.runs, "Execs", "A message of the user is one run"],
    [ownClients.retries, "Timing", "The CLI retries after 1 s, doubling to a minute"],
    [ownClients.abandoned, "Timing", "The client sends a heartbeat every 3 s for a call that is still running"],
  ])("is in wire.md, with the same certainty: %s", (does, section, words) => {
    const [, body = ""] = wire.split(`\n## ${section}\n`);
    const said = (body.split("\n## ")[0] ?? "").split("\n").filter((line) => line.includes(words));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(new RegExp(`\\| ${/\((\w+)\)$/.exec(does)?.[1]} \\|$`));
  });
});

describe("what Cursor has seen", () => {
  const seenToday = { requests: 10, runs: 8, retries: 1, cancelled: 0, peakRequests: 3, peakRuns: 2 };
  const shown = (changes: object) =>
    describeConduct({ seenToday: { ...seenToday, abandoned: {}, ...changes } }, createColors(false));

  it("is compared with its own clients, or marked unknown", () => {
    const text = shown({ abandoned: { lost: 2, superseded: 1, stopped: 0 } });
    expect(text).toMatch(/^runs +8 +one for each message \(observed\)$/m);
    expect(text).toMatch(/^runs at once, at most +2 +unknown$/m);
    expect(text).toMatch(/^retries +1 +the CLI: after 1 s, then doubling \(one\)$/m);
    expect(text).toMatch(/^given up while waiting +3 \(2 lost, 1 superseded\) +wait while a call runs \(observed\)$/m);
  });

  it("is not shown on a day without runs", () => expect(shown({ runs: 0 })).toBe(""));
});
