import { expect, it } from "vitest";
import { describeRest } from "../../../testing/simulator/rest-client.js";

describeRest("the documented API", ({ call, exchange }) => {
  it("takes the key as the user name of HTTP Basic too", async () => {
    const basic = Buffer.from("crsr_a:").toString("base64");
    const { body } = await call("GET", "/v1/me", { authorization: `Basic ${basic}` });
    expect(body).toMatchObject({ apiKeyName: "Simulated key", userEmail: expect.any(String) });
  });

  it.each(["/v1/models", "/v1/me", "/v1/agents/agent-1/usage"])("guards %s", async (path) => {
    expect(await call("GET", path)).toMatchObject({ status: 401, body: { error: { code: "unauthorized" } } });
    expect(await call("GET", path, { key: "crsr_bad" })).toMatchObject({
      status: 401,
      body: { error: { code: "api_key_not_found" } },
    });
    const { accessToken } = (await exchange("crsr_a")).body;
    expect((await call("GET", path, { key: accessToken })).status).toBe(401);
  });
});
