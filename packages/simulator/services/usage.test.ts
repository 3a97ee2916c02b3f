import { beforeAll, describe, expect, it } from "vitest";
import { tokenFor } from "../../../testing/simulator/rest-client.js";
import { startedOnce } from "../../../testing/started.js";
import { type defaultOptions, startSimulator } from "../index.js";

const simulator = startedOnce(() => startSimulator());
let token: string;
beforeAll(async () => {
  token = await tokenFor(simulator, "crsr_usage");
});

describe("the usage of an account", () => {
  const dashboardJson = (method: string, type = "application/json") =>
    fetch(`${simulator.url}/aiserver.v1.DashboardService/${method}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": type },
      body: "{}",
    });
  const usage = async (shape: (typeof defaultOptions)["usage"]) => {
    simulator.configure({ usage: shape });
    return (await (await dashboardJson("GetCurrentPeriodUsage")).json()) as {
      planUsage?: Record<string, unknown>;
      spendLimitUsage: Record<string, unknown>;
    };
  };

  it("comes in each of its shapes", async () => {
    expect((await usage("full")).planUsage).toMatchObject({ limit: 2000, totalPercentUsed: 31 });
    expect((await usage("free")).planUsage).not.toHaveProperty("limit");
    expect(await usage("no-plan")).not.toHaveProperty("planUsage");
    expect((await usage("unlimited")).spendLimitUsage.individualLimit).toBe(2_147_483_647);
    expect((await usage("on-demand")).spendLimitUsage.individualUsed).toBe(350);
    expect((await usage("strings")).planUsage).toMatchObject({ limit: "2000", totalPercentUsed: "31" });
  });

  it("has a hard limit only where usage beyond the plan is possible", async () => {
    const ask = async (shape: (typeof defaultOptions)["usage"]) => {
      simulator.configure({ usage: shape });
      return (await dashboardJson("GetHardLimit")).json();
    };
    expect(await ask("full")).toEqual({ noUsageBasedAllowed: true });
    expect(await ask("on-demand")).toEqual({ hardLimit: 50 });
    expect(await ask("unlimited")).toEqual({ hardLimit: 2_147_483_647 });
  });

  it.each([
    ["GetCreditGrantsBalance", { creditBalanceCents: 500 }],
    ["GetUsageLimitPolicyStatus", { limitType: "user" }],
    ["GetAggregatedUsageEvents", { aggregations: [{ modelIntent: "default" }], totalCostCents: 12.5 }],
    ["GetFilteredUsageEvents", { usageEventsDisplay: [{ tokenUsage: { inputTokens: 480 } }] }],
  ])("answers %s, in JSON only", async (method, answer) => {
    expect(await (await dashboardJson(method)).json()).toMatchObject(answer);
    expect((await dashboardJson(method, "application/proto")).status).toBe(415);
  });
});
