import { expect, it } from "vitest";
import { describeRest } from "../../../testing/simulator/rest-client.js";

describeRest("the account", ({ call, exchange, logIn }, simulator) => {
  it("is shown with a token", async () => {
    const key = (await exchange("crsr_a")).body.accessToken;
    expect((await call("GET", "/auth/full_stripe_profile", { key })).body).toMatchObject({ membershipType: "pro" });
    expect((await call("GET", "/auth/stripe_profile", { key })).body).toBe("pro");
    expect((await call("GET", "/auth/usage", { key })).body["gpt-4"].maxRequestUsage).toBe(500);
  });

  it("is shown on the website with a session cookie", async () => {
    const session = await logIn();
    const cookie = `other=1; WorkosCursorSessionToken=user_01%3A%3A${session}`;
    expect((await call("GET", "/api/usage-summary", { cookie })).body).toMatchObject({ membershipType: "pro" });
    expect((await call("GET", "/api/usage?user=user_01", { cookie })).body).toHaveProperty("gpt-4");
    const exchanged = (await exchange("crsr_a")).body.accessToken;
    for (const wrong of [`WorkosCursorSessionToken=user_01::${exchanged}`, "other=1"]) {
      expect((await call("GET", "/api/usage-summary", { cookie: wrong })).status).toBe(401);
    }
    expect((await call("GET", "/api/usage-summary")).status).toBe(401);
  });

  it("is not shown with an API key or an expired token", async () => {
    simulator.configure({ tokenTtlSeconds: 0 });
    const expired = (await exchange("crsr_a")).body.accessToken;
    for (const key of ["crsr_a", expired]) expect((await call("GET", "/auth/usage", { key })).status).toBe(401);
  });
});
