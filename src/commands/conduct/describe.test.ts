import { describe, expect, it } from "vitest";
import { createColors } from "../line/colors.js";
import { describeConduct } from "./describe.js";
import { remarksOn } from "./remarks.js";
import type { ConductReport } from "./report.js";

const agent = {
  backend: "agent",
  clientVersion: "cli-2026.10.01-e373342",
  userAgent: "connect-es/1.6.1",
  hosts: ["api2.cursor.sh", "agent.api5.cursor.sh"],
  isOfficial: false,
};
const sdk = { backend: "sdk", clientVersion: null, userAgent: null, hosts: null, isOfficial: true };

interface Changes extends Omit<Partial<ConductReport>, "seen"> {
  readonly seen?: Partial<ConductReport["seen"]>;
}

function report({ seen, ...changes }: Changes = {}): ConductReport {
  return {
    day: "2026-11-16",
    conduct: "usual",
    leaseMs: 900_000,
    heartbeatMs: 5_000,
    backend: "sdk",
    problem: null,
    identities: [sdk],
    ...changes,
    seen: {
      requests: 10,
      runs: 8,
      retries: 0,
      cancelled: 0,
      abandoned: {},
      peakRequests: 3,
      peakRuns: 2,
      ...seen,
    },
  };
}

describe("what stands out", () => {
  it("is nothing on a quiet day with a program of Cursor's", () => {
    expect(remarksOn(report())).toEqual([]);
    expect(remarksOn(report({ seen: { runs: 0 } }))).toEqual(["No run was started at Cursor today."]);
  });

  it.each<[string, Changes, RegExp]>([
    ["retries", { seen: { retries: 3 } }, /^Retries: 3 of 8 runs today\. .* unknown\. Careful conduct has none\.$/],
    ["more runs than requests", { seen: { requests: 5, retries: 1 } }, /^More runs than requests: 2 answers /],
    ["a lease", { seen: { abandoned: { "lease-expired": 1 } } }, /^1 run waited .* within 900 s\..* leaseMs /],
    ["a client that went on", { seen: { abandoned: { superseded: 2 } } }, /^2 runs .* the client went on without them/],
    ["a loss", { seen: { abandoned: { lost: 1 } } }, /ended at Cursor or on the way there/],
    ["a stop", { seen: { abandoned: { shutdown: 4 } } }, /^4 runs .* when a gateway was stopped/],
    ["all runs ended", { seen: { abandoned: { stopped: 1 } } }, /when you ended all runs/],
    ["a reason that is new", { seen: { abandoned: { "by-a-newer-one": 1 } } }, /\(by-a-newer-one\)\.$/],
    ["clients that left", { seen: { cancelled: 2 } }, /^2 clients left before the reply was complete/],
    ["more at once than is careful", { conduct: "careful", seen: { peakRuns: 7 } }, /^7 runs at once: careful .* 2/],
    [
      "a claimed identity",
      { identities: [agent] },
      /^On the agent backend, Curlew names itself cli-2026\.10\.01-e373342/,
    ],
  ])("is said: %s", (_, changes, sentence) => {
    expect(remarksOn(report(changes))).toContainEqual(expect.stringMatching(sentence));
  });
});

describe("the comparison", () => {
  it("goes without its sources on a narrow terminal", () => {
    const lines = describeConduct(report({ identities: [agent] }), createColors(false), 80).split("\n");
    expect(lines[1]).toMatch(/HERE +CURSOR'S OWN CLIENTS$/);
    expect(lines.slice(1, lines.indexOf("")).filter((line) => line.length > 80)).toEqual([]);
    expect(lines.join("\n")).not.toContain("docs/protocol");
  });

  const shown = (changes: Changes) => describeConduct(report(changes), createColors(false), Number.POSITIVE_INFINITY);

  it("has the figures of the day beside what is known, with its note, and unknown where nothing is", () => {
    const text = shown({ identities: [agent], seen: { retries: 1, abandoned: { lost: 2, superseded: 1 } } });
    expect(text).toMatch(/^What Cursor has seen on 2026-11-16 \(conduct: usual, backend: sdk\)$/m);
    expect(text).toMatch(/^runs +8 +one for each message, .* +observed +wire\.md, execs$/m);
    expect(text).toMatch(/^runs at once, at most +2 +unknown$/m);
    expect(text).toMatch(/^retries +1 +.* one +wire\.md, timing$/m);
    expect(text).toMatch(/^given up while waiting +3 .*\n {2}lost +2\n {2}superseded +1\n/m);
    expect(text).toMatch(/^agent: user agent +connect-es\/1\.6\.1 /m);
    expect(text).toMatch(/^agent: hosts +api2\.cursor\.sh .*\n +agent\.api5\.cursor\.sh\n/m);
    expect(text).toMatch(/^agent: heartbeats +every 5 s +every 5 s on a run +observed/m);
  });

  it("leaves to Cursor's own programs what they send, and says why a gateway could not start", () => {
    const text = shown({ backend: null, problem: "No Cursor credential was found." });
    expect(text).toMatch(/^sdk: client version +its own /m);
    expect(text).not.toContain("user agent");
    expect(text).toContain("backend: none");
    expect(text).toContain("- A gateway could not start now: No Cursor credential was found.\n");
  });
});
