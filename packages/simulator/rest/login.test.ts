import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { claimsOf, describeRest } from "../../../testing/simulator/rest-client.js";
import { challengeOf } from "../auth/logins.js";

describeRest("a browser login", ({ call }, simulator) => {
  const verifier = "v".repeat(43);
  const challenge = challengeOf(verifier);
  const post = (uuid: string, text = verifier) => call("POST", "/auth/poll", { body: { uuid, verifier: text } });
  const get = (uuid: string) => call("GET", `/auth/poll?uuid=${uuid}&verifier=${verifier}`);
  const openPage = (uuid: string) => call("GET", `/loginDeepControl?challenge=${challenge}&uuid=${uuid}&mode=login`);
  const sayYes = (uuid: string) => call("POST", "/api/auth/loginDeepCallbackControl", { body: { uuid, challenge } });

  it("succeeds with the first poll after the page was opened, and only once", async () => {
    const uuid = randomUUID();
    const page = await openPage(uuid);
    expect(page.body).toContain("signs you in");
    const done = await post(uuid);
    expect(done.status).toBe(200);
    expect(claimsOf(done.body.accessToken)).toMatchObject({ type: "session" });
    expect(done.body.refreshToken).toBe(done.body.accessToken);
    expect(simulator.stats().logins).toBe(1);
    expect(await post(uuid)).toMatchObject({ status: 404, body: "Not found" });
    expect((await openPage(uuid)).body).toContain("used already");
  });

  it.each([
    ["POST", post],
    ["GET", get],
  ])("needs two polls by %s when the page is not opened", async (_, poll) => {
    const uuid = randomUUID();
    const first = await poll(uuid);
    expect(first).toMatchObject({ status: 404, body: "Not found" });
    expect(first.headers.get("content-type")).toBe("text/plain");
    expect((await poll(uuid)).status).toBe(200);
  });

  it("succeeds only with the right verifier", async () => {
    const uuid = randomUUID();
    await openPage(uuid);
    expect((await post(uuid, "w".repeat(43))).status).toBe(404);
    expect((await post(uuid, "short")).status).toBe(404);
    expect((await post(uuid)).status).toBe(200);
  });

  it("waits for approval when the option says so", async () => {
    simulator.configure({ login: "wait" });
    const uuid = randomUUID();
    await openPage(uuid);
    expect((await post(uuid)).status).toBe(404);
    expect((await post(uuid)).status).toBe(404);
    expect((await sayYes(uuid)).status).toBe(200);
    expect((await post(uuid)).status).toBe(200);
    expect((await sayYes(uuid)).status).toBe(400);
  });

  it("has an approval page into which no script can be injected", async () => {
    simulator.configure({ login: "wait" });
    const page = (await openPage(randomUUID())).body;
    expect(page).toContain(`name="challenge" value="${challenge}"`);
    const evil = encodeURIComponent('"><script>alert(1)</script>');
    expect((await call("GET", `/loginDeepControl?challenge=${challenge}&uuid=${evil}`)).body).not.toContain("alert");
  });

  it("can be denied, fail for a while, or fail for good", async () => {
    simulator.configure({ login: "deny" });
    expect(await post(randomUUID())).toMatchObject({ status: 403, body: { error: "sign_in_policy_violation" } });
    simulator.configure({ login: "error" });
    expect((await post(randomUUID())).status).toBe(500);
    simulator.configure({ login: "error-1" });
    const uuid = randomUUID();
    await openPage(uuid);
    expect([(await post(uuid)).status, (await post(uuid)).status]).toEqual([500, 200]);
  });

  it("can meet an old server that only knows GET", async () => {
    simulator.configure({ login: "no-post" });
    const uuid = randomUUID();
    await openPage(uuid);
    expect(await post(uuid)).toMatchObject({
      status: 404,
      body: { message: "Route POST:/auth/poll not found", error: "Not Found", statusCode: 404 },
    });
    expect((await get(uuid)).status).toBe(200);
  });

  it("can lack a token", async () => {
    simulator.configure({ login: "half" });
    const uuid = randomUUID();
    await openPage(uuid);
    expect(Object.keys((await post(uuid)).body)).toEqual(["accessToken"]);
  });

  it("refuses requests without the ids", async () => {
    expect((await call("GET", "/auth/poll?uuid=1")).status).toBe(400);
    expect((await call("POST", "/auth/poll", { body: { verifier } })).status).toBe(400);
    expect((await call("GET", "/loginDeepControl?uuid=1")).status).toBe(400);
    expect((await call("POST", "/api/auth/loginDeepCallbackControl", { body: {} })).status).toBe(400);
  });

  it("shows no verifier and no token in the journal", async () => {
    const uuid = randomUUID();
    await openPage(uuid);
    await get(uuid);
    await post(uuid);
    const journal = JSON.stringify(simulator.requests(10));
    expect(journal).toContain(uuid);
    expect(journal).not.toContain(verifier);
  });
});
