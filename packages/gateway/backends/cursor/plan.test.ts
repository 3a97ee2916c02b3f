import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { GatewayError } from "../../turn/error.js";
import {
  type CursorPlan,
  isOwnModel,
  readCursorPlan,
  readSpentCents,
  recentPlan,
  shareFor,
  usedUpPool,
} from "./plan.js";

const nothing = {
  plan: null,
  price: null,
  periodStart: null,
  resets: null,
  percentUsed: null,
  autoPercentUsed: null,
  apiPercentUsed: null,
  spentCents: null,
  includedCents: null,
  onDemand: null,
  autoModels: [],
};

describe("what Cursor says of a plan", () => {
  it.each([[undefined], [null], ["text"], [[]], [{}], [{ planUsage: null, spendLimitUsage: 7 }]])(
    "may be %j",
    (said) => {
      expect(readCursorPlan(said, said)).toEqual(nothing);
    },
  );

  it("takes percentages as they are, instead of dividing the spending by the limit", () => {
    const usage = { planUsage: { totalSpend: 1_000, limit: 2_000, totalPercentUsed: 31.5, autoPercentUsed: 112 } };
    expect(readCursorPlan(usage, {})).toMatchObject({
      percentUsed: 31.5,
      autoPercentUsed: 112,
      spentCents: 1_000,
      includedCents: 2_000,
    });
  });

  it("may write numbers as text", () => {
    const usage = { billingCycleEnd: "1796083200000", planUsage: { totalPercentUsed: "31", limit: "2000" } };
    expect(readCursorPlan(usage, {})).toMatchObject({
      resets: "2026-12-01T00:00:00.000Z",
      percentUsed: 31,
      includedCents: 2_000,
    });
  });

  it("takes the end of the period from the plan if the usage lacks it", () => {
    expect(readCursorPlan({}, { planInfo: { planName: "Pro", billingCycleEnd: 1_796_083_200_000 } })).toEqual({
      ...nothing,
      plan: "Pro",
      resets: "2026-12-01T00:00:00.000Z",
    });
  });

  it.each([
    [
      { individualLimit: 5_000, individualUsed: 350 },
      { usedCents: 350, limitCents: 5_000 },
    ],
    [{ individualLimit: 2_147_483_647 }, { usedCents: 0, limitCents: "unlimited" }],
    [{ totalSpend: "12" }, { usedCents: 12, limitCents: null }],
    [{ limitType: "user" }, null],
  ])("has the on-demand spending: %j", (spendLimitUsage, onDemand) => {
    expect(readCursorPlan({ spendLimitUsage }, {}).onDemand).toEqual(onDemand);
  });

  it("may be only the total spending", () => {
    expect(readSpentCents({ totalCostCents: 12.5 })).toBe(12.5);
    expect(readSpentCents({})).toBeNull();
  });
});

describe("the used-up pool", () => {
  const other = "Your plan's pool Other Models is used up.";
  const own = "Your plan's pool Cursor Models (Auto and Composer) is used up.";
  const whole = "Your plan's included usage is used up.";
  it.each<[string, object, string, string | undefined]>([
    [
      "of other vendors",
      { apiPercentUsed: 100, autoPercentUsed: 3 },
      "gpt-5",
      `${other} Auto and Composer still work.`,
    ],
    [
      "of other vendors, as text",
      { apiPercentUsed: "101.5", autoPercentUsed: "3" },
      "gpt-5",
      `${other} Auto and Composer still work.`,
    ],
    ["is not that of the model", { apiPercentUsed: 100, autoPercentUsed: 3 }, "composer-2.5", undefined],
    ["is not that of Auto", { apiPercentUsed: 100, autoPercentUsed: 3 }, "auto", undefined],
    [
      "of Cursor's models",
      { apiPercentUsed: 3, autoPercentUsed: 100 },
      "auto",
      `${own} Models of other vendors still work.`,
    ],
    [
      "of Cursor's models, by their list",
      { apiPercentUsed: 3, autoPercentUsed: 100 },
      "k3",
      `${own} Models of other vendors still work.`,
    ],
    [
      "of Cursor's models, by another variant in their list",
      { apiPercentUsed: 3, autoPercentUsed: 100 },
      "k3-low",
      `${own} Models of other vendors still work.`,
    ],
    ["is both", { apiPercentUsed: 100, autoPercentUsed: 100 }, "gpt-5", other],
    ["has a rest", { apiPercentUsed: 99.9, autoPercentUsed: 3, totalPercentUsed: 100 }, "gpt-5", undefined],
    ["is the whole plan", { totalPercentUsed: 100 }, "gpt-5", whole],
    ["is unknown", {}, "gpt-5", undefined],
  ])("%s", (_, planUsage, model, expected) => {
    expect(usedUpPool(readCursorPlan({ planUsage, autoBucketModels: ["k3"] }, {}), model)).toBe(expected);
  });

  it("has models that no list names, by the names of Cursor's own", () => {
    const isOwn = (model: string) => isOwnModel(model, ["k3-high", "k4"]);
    for (const model of ["k3", "k3-low", "k3-thinking", "k4-fast", "auto", "default", "composer-9", "cursor-k5"])
      expect({ model, isOwn: isOwn(model) }).toEqual({ model, isOwn: true });
    for (const model of ["k3-mini", "k", "k33", "gpt-5", "autopilot"])
      expect({ model, isOwn: isOwn(model) }).toEqual({ model, isOwn: false });
  });

  it("counts alone for a model, if Cursor says which models draw from it", () => {
    const share = (model: string | undefined, autoBucketModels: string[], planUsage: object = {}) => {
      const shares = { totalPercentUsed: 31, autoPercentUsed: 18, apiPercentUsed: 43, ...planUsage };
      return shareFor(readCursorPlan({ planUsage: shares, autoBucketModels }, {}), model);
    };
    expect(share("k3", ["k3"])).toEqual({ used: 18, of: "the plan's pool Cursor Models" });
    expect(share("gpt-5", ["k3"])).toEqual({ used: 43, of: "the plan's pool Other Models" });
    const whole = { used: 31, of: "the plan" };
    expect(share("gpt-5", [])).toEqual(whole);
    expect(share(undefined, ["k3"])).toEqual(whole);
    expect(share("gpt-5", ["k3"], { apiPercentUsed: null })).toEqual(whole);
    expect(shareFor({}, "gpt-5")).toEqual({ ...whole, used: null });
  });

  it("stops nothing while usage on demand has room", () => {
    const used = (spendLimitUsage: object) =>
      usedUpPool(readCursorPlan({ planUsage: { apiPercentUsed: 100 }, spendLimitUsage }, {}), "gpt-5");
    expect(used({ individualLimit: 5_000, individualUsed: 4_999 })).toBeUndefined();
    expect(used({ individualLimit: 2_147_483_647 })).toBeUndefined();
    expect(used({ individualLimit: 5_000, individualUsed: 5_000 })).toBe(other);
    expect(used({ individualLimit: 0 })).toBe(other);
    // A team shares its limit; a member may have one of their own too.
    expect(used({ pooledLimit: 5_000, pooledUsed: 4_999, individualUsed: 20 })).toBeUndefined();
    expect(used({ pooledLimit: 5_000, pooledUsed: 5_000, individualUsed: 20 })).toBe(other);
    expect(used({ individualLimit: 90, individualUsed: 20, pooledLimit: 5_000, pooledUsed: 5_000 })).toBe(other);
    expect(used({ individualLimit: 90, individualUsed: 90, pooledLimit: 5_000, pooledUsed: 20 })).toBe(other);
  });
});

const plan = readCursorPlan({ planUsage: { totalPercentUsed: 31 } }, {});

function setUp(ask: () => Promise<CursorPlan>) {
  const clock = new ManualClock();
  let asked = 0;
  const recent = recentPlan(() => {
    asked++;
    return ask();
  }, clock);
  return { clock, recent, asked: () => asked };
}

describe("the cached plan", () => {
  it("is asked for once in five minutes, for any number of callers", async () => {
    const { clock, recent, asked } = setUp(async () => plan);
    expect(await Promise.all([recent(), recent()])).toEqual([
      { plan, problem: null },
      { plan, problem: null },
    ]);
    clock.advance(299_999);
    await recent();
    expect(asked()).toBe(1);
    clock.advance(1);
    await recent();
    expect(asked()).toBe(2);
  });

  it("is unknown when Cursor does not answer in time, and known to the next caller once it has", async () => {
    let answer = (_: CursorPlan) => {};
    const { clock, recent, asked } = setUp(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const first = recent();
    clock.advance(2_000);
    expect(await first).toEqual({ plan: null, problem: "Cursor has not answered within 2 s. Ask again in a moment." });
    answer(plan);
    expect(await recent()).toEqual({ plan, problem: null });
    expect(asked()).toBe(1);
  });

  it("is unknown for the reason that Cursor gives, without another call at once", async () => {
    const { recent, asked } = setUp(async () => {
      throw new GatewayError("not_authenticated", "Not signed in.\nRun: curlew login");
    });
    const unknown = { plan: null, problem: "Not signed in. Run: curlew login" };
    expect(await recent()).toEqual(unknown);
    expect(await recent()).toEqual(unknown);
    expect(asked()).toBe(1);
  });
});
