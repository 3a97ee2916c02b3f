import { expect, it } from "vitest";
import { claimsOf, describeRest } from "../../../testing/simulator/rest-client.js";

describeRest("renewing a session", ({ call, exchange, logIn }, simulator) => {
  const client_id = "KbZUR41cY7W6zRSdpSUJ7I7mLYBKOCmB";
  const renew = (refresh_token: string, more = {}) =>
    call("POST", "/oauth/token", { body: { grant_type: "refresh_token", client_id, refresh_token, ...more } });

  it("gives a new session and no refresh token", async () => {
    const { status, body } = await renew(await logIn());
    expect(status).toBe(200);
    expect(body).toEqual({ access_token: expect.any(String), id_token: body.access_token, shouldLogout: false });
    expect(claimsOf(body.access_token).type).toBe("session");
    expect(simulator.stats().refreshes).toBe(1);
  });

  it("logs out a dead session, or a token from an API key", async () => {
    const logout = { status: 200, body: { access_token: "", id_token: "", shouldLogout: true } };
    expect(await renew("nonsense")).toMatchObject(logout);
    expect(await renew((await exchange("crsr_a")).body.refreshToken)).toMatchObject(logout);
    simulator.configure({ sessionTtlSeconds: 0 });
    expect(await renew(await logIn())).toMatchObject(logout);
  });

  it("fails as often as the option says, or for good", async () => {
    const session = await logIn();
    simulator.configure({ refresh: "fail-2" });
    const statuses = [await renew(session), await renew(session), await renew(session)];
    expect(statuses.map(({ status }) => status)).toEqual([500, 500, 200]);
    simulator.configure({ refresh: "refuse" });
    expect((await renew(session)).body.shouldLogout).toBe(true);
  });

  it("checks the grant and the client", async () => {
    const session = await logIn();
    expect((await renew(session, { grant_type: "password" })).status).toBe(400);
    expect((await renew(session, { client_id: "me" })).status).toBe(401);
  });
});
