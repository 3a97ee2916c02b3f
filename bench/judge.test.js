import { describe, expect, it } from "vitest";
import { judge, renewLimits } from "./judge.js";

const limits = { "short-chat allocatedBytes": { measured: 100, margin: 0.05 } };
const verdicts = (figures) => judge(figures, limits).map(({ verdict }) => verdict);

describe("judge", () => {
  it("lets a figure be as large as its margin says", () => {
    expect(verdicts({ "short-chat allocatedBytes": 104 })).toEqual(["ok"]);
    expect(verdicts({ "short-chat allocatedBytes": 106 })).toEqual(["over"]);
  });

  it("asks for a new limit when a figure has become smaller by more than a small margin", () => {
    expect(verdicts({ "short-chat allocatedBytes": 96 })).toEqual(["ok"]);
    expect(verdicts({ "short-chat allocatedBytes": 94 })).toEqual(["gain"]);
    const generous = { "burst-chat allocatedBytes": { measured: 100, margin: 0.5 } };
    expect(judge({ "burst-chat allocatedBytes": 10 }, generous)).toMatchObject([{ verdict: "ok" }]);
  });

  it("fails for a limit without a figure, and for a figure without a limit", () => {
    expect(verdicts({})).toEqual(["over"]);
    expect(verdicts({ "short-chat allocatedBytes": 100, "new promises": 1 })).toEqual(["ok", "over"]);
  });

  it("fails for a figure that is not a number", () => {
    expect(verdicts({ "short-chat allocatedBytes": Number.NaN })).toEqual(["over"]);
  });

  it("only shows what depends on how busy the machine is", () => {
    const busy = { "short-chat readsAndWrites": 7, "short-chat cpuRatio": 9 };
    expect(verdicts({ "short-chat allocatedBytes": 100, ...busy })).toEqual(["ok", "shown", "shown"]);
  });
});

describe("renewLimits", () => {
  it("sets margins by the kind of figure, 5 % for counts", () => {
    const figures = {
      "short-chat allocatedBytes": 81.23456,
      "short-chat upstreamBytes": 220,
      "agent-new runs": 1,
      "short-chat readsAndWrites": 7,
      "growth warm cpuExponent": 0.9,
    };
    expect(renewLimits(figures)).toEqual({
      "short-chat allocatedBytes": { measured: 81.23, margin: 0.05 },
      "short-chat upstreamBytes": { measured: 220, margin: 0.05 },
      "agent-new runs": { measured: 1, margin: 0.05 },
      "growth warm cpuExponent": { measured: 1, margin: 0.5 },
    });
  });
});
