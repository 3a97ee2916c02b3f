import { describe, expect, it } from "vitest";
import { ManualClock } from "../../testing/manual-clock.js";
import { GatewayError } from "../turn/error.js";
import { type CursorPlan, readCursorPlan } from "./cursor-plan.js";
import { RecentPlan } from "./recent-plan.js";

const plan = readCursorPlan({ planUsage: { totalPercentUsed: 31 } }, {});

function setUp(ask: () => Promise<CursorPlan>) {
  const clock = new ManualClock();
  let asked = 0;
  const recent = new RecentPlan({
    clock,
    ask: () => {
      asked++;
      return ask();
    },
  });
  return { clock, recent, asked: () => asked };
}

describe("the plan for those who ask often", () => {
  it("is asked for once in five minutes, however many ask", async () => {
    const { clock, recent, asked } = setUp(async () => plan);
    expect(await Promise.all([recent.read(), recent.read()])).toEqual([
      { plan, problem: null },
      { plan, problem: null },
    ]);
    clock.advance(299_999);
    await recent.read();
    expect(asked()).toBe(1);
    clock.advance(1);
    await recent.read();
    expect(asked()).toBe(2);
  });

  it("is unknown when Cursor does not answer in time, and known to the next who asks once it has", async () => {
    let answer = (_: CursorPlan) => {};
    const { clock, recent, asked } = setUp(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const first = recent.read();
    clock.advance(2_000);
    expect(await first).toEqual({ plan: null, problem: "Cursor has not answered within 2 s. Ask again in a moment." });
    answer(plan);
    expect(await recent.read()).toEqual({ plan, problem: null });
    expect(asked()).toBe(1);
  });

  it("is unknown for the reason that Cursor gives, which is not asked for again at once", async () => {
    const { recent, asked } = setUp(async () => {
      throw new GatewayError("not_authenticated", "Nobody is signed in.\nRun: curlew login");
    });
    const unknown = { plan: null, problem: "Nobody is signed in. Run: curlew login" };
    expect(await recent.read()).toEqual(unknown);
    expect(await recent.read()).toEqual(unknown);
    expect(asked()).toBe(1);
  });
});
