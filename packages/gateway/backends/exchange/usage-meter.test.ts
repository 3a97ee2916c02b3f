import { describe, expect, it } from "vitest";
import { UsageMeter } from "./usage-meter.js";

const counted = (inputTokens: number, outputTokens: number, cacheReadTokens: number) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens: 40,
  reasoningTokens: 3,
  estimated: false,
});

describe("the usage of a turn", () => {
  it("is Cursor's own figure when there is one reply", () => {
    const meter = new UsageMeter(10);
    meter.said(4_000);
    meter.measured(counted(1_200, 34, 1_000));
    expect(meter.final()).toEqual({
      inputTokens: 1_200,
      outputTokens: 34,
      cacheReadTokens: 1_000,
      cacheWriteTokens: 40,
      reasoningTokens: 3,
      estimated: false,
    });
  });

  it("is estimated when Cursor reports none, from the context if that is known", () => {
    const meter = new UsageMeter(10);
    meter.said(41);
    expect(meter.final()).toMatchObject({ inputTokens: 10, outputTokens: 11, estimated: true });
    meter.context(500);
    meter.context(0);
    expect(meter.final()).toMatchObject({ inputTokens: 500, outputTokens: 11, estimated: true });
  });

  it("is the context at the end of each reply, and its output adds up to Cursor's figure", () => {
    const meter = new UsageMeter(10);
    meter.context(500);
    meter.said(40);
    const first = meter.atPause();
    meter.context(600);
    meter.said(20);
    const second = meter.atPause();
    meter.said(8);
    meter.measured(counted(1_900, 30, 700));
    meter.context(760);
    const last = meter.final();
    expect([first, second]).toMatchObject([
      { inputTokens: 500, outputTokens: 10, estimated: true },
      { inputTokens: 600, outputTokens: 5, estimated: true },
    ]);
    expect(last).toMatchObject({ inputTokens: 760, outputTokens: 15, cacheReadTokens: 280, estimated: false });
    expect(meter.wholeTurn()).toMatchObject({ inputTokens: 1_900, outputTokens: 30, cacheReadTokens: 700 });
  });

  it("counts the context of a run that waits once", () => {
    const meter = new UsageMeter(10);
    meter.modelCall();
    meter.said(40);
    meter.atPause();
    meter.context(500);
    expect(meter.wholeTurn()).toMatchObject({ inputTokens: 10, outputTokens: 10, estimated: true });
    meter.modelCall();
    expect(meter.wholeTurn()).toMatchObject({ inputTokens: 510, outputTokens: 10, estimated: true });
  });

  it("is cached as far as the model has read it before, by estimate until Cursor counts the turn", () => {
    const meter = new UsageMeter(1_000, 800);
    expect(meter.soFar().turn).toMatchObject({ inputTokens: 1_000, cacheReadTokens: 800, estimated: true });
    meter.context(1_200);
    expect(meter.atPause()).toMatchObject({ inputTokens: 1_200, cacheReadTokens: 800 });
    expect(meter.wholeTurn()).toMatchObject({ inputTokens: 1_200, cacheReadTokens: 800 });
    meter.context(1_500);
    meter.modelCall();
    expect(meter.wholeTurn()).toMatchObject({ inputTokens: 2_700, cacheReadTokens: 2_000, estimated: true });
    meter.measured(counted(2_600, 30, 1_900));
    expect(meter.wholeTurn()).toMatchObject({ inputTokens: 2_600, cacheReadTokens: 1_900, estimated: false });
  });

  it("is an estimate when many calls were counted and no checkpoint has the context", () => {
    const meter = new UsageMeter(10);
    for (let call = 0; call < 4; call++) meter.modelCall();
    meter.measured(counted(80_000, 30, 40_000));
    expect(meter.final()).toMatchObject({ inputTokens: 20_000, cacheReadTokens: 10_000, estimated: true });
    expect(meter.wholeTurn()).toMatchObject({ inputTokens: 80_000, estimated: false });
  });

  it("is never negative, nor more cached than read", () => {
    const meter = new UsageMeter(5_000);
    meter.said(4_000);
    meter.atPause();
    meter.measured(counted(1_900, 30, 2_700));
    meter.context(500);
    expect(meter.final()).toMatchObject({
      inputTokens: 500,
      outputTokens: 0,
      cacheReadTokens: 500,
      cacheWriteTokens: 0,
    });
  });
});
