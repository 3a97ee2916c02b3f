import { expect, it } from "vitest";
import { claimsOf, describeRest } from "../../../testing/simulator/rest-client.js";

describeRest("exchanging an API key", ({ exchange }, simulator) => {
  it("gives two tokens of equal life", async () => {
    simulator.configure({ tokenTtlSeconds: 90 });
    const seconds = () => Math.floor(Date.now() / 1_000);
    const before = seconds();
    const { status, body } = await exchange("crsr_mine");
    const after = seconds();
    expect(status).toBe(200);
    const [access, refresh] = [claimsOf(body.accessToken), claimsOf(body.refreshToken)];
    expect(access).toMatchObject({ type: "api_key_token", exp: refresh.exp });
    expect(access.exp).toBeGreaterThanOrEqual(before + 90);
    expect(access.exp).toBeLessThanOrEqual(after + 90);
  });

  it.each([
    ["crsr_bad_one", 401, { error: "Invalid User API Key" }],
    ["crsr_revoked", 401, { error: "Invalid User API Key" }],
    ["sk-other", 401, { error: "Invalid User API Key" }],
    ["crsr_policy", 403, { error: "sign_in_policy_violation" }],
    ["crsr_500", 500, { error: "Internal Server Error" }],
    ["crsr_429", 429, { error: "Too many requests" }],
  ])("answers %s with %i", async (key, status, body) => {
    expect(await exchange(key)).toMatchObject({ status, body });
    expect(simulator.stats().exchanges).toBe(1);
  });

  it("refuses a token instead of a key", async () => {
    const { body } = await exchange("crsr_mine");
    expect((await exchange(body.accessToken)).status).toBe(401);
  });

  it("sends retry-after with a rate limit", async () => {
    expect((await exchange("crsr_429")).headers.get("retry-after")).toBe("1");
  });

  it("delays a slow key", async () => {
    const order: string[] = [];
    const slow = exchange("crsr_slow200").then(({ status }) => order.push(`slow ${status}`));
    await exchange("crsr_quick").then(() => order.push("quick"));
    await slow;
    expect(order).toEqual(["quick", "slow 200"]);
  });

  it("fails as often as the option says, then recovers", async () => {
    simulator.configure({ exchange: "fail-2" });
    const statuses = [await exchange("crsr_a"), await exchange("crsr_a"), await exchange("crsr_a")];
    expect(statuses.map(({ status }) => status)).toEqual([500, 500, 200]);
  });

  it("refuses every key when the option says so", async () => {
    simulator.configure({ exchange: "refuse" });
    expect((await exchange("crsr_a")).status).toBe(401);
    expect((await exchange("crsr_a")).status).toBe(401);
  });
});
