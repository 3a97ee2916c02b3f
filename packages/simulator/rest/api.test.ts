import { expect, it } from "vitest";
import { describeRest } from "../../../testing/simulator/rest-client.js";

describeRest("the documented API", ({ call, exchange }) => {
  it("lists the models, with the automatic one first and never under the id auto", async () => {
    const { status, body } = await call("GET", "/v1/models", { key: "crsr_a" });
    expect(status).toBe(200);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([
      "default",
      "composer-2.5",
      "composer-2.5-fast",
      "claude-opus-4-8",
      "gpt-5.5",
      "grok-4.6",
      "gemini-3.1-pro",
      "claude-fable-5",
    ]);
    expect(body.items[0].aliases).toEqual(["auto"]);
    expect(body.items[3]).toMatchObject({
      parameters: [{ id: "effort", values: [{ value: "low" }, { value: "high" }] }, { id: "context" }],
      variants: [{ params: [{ id: "effort", value: "high" }, { id: "context" }], isDefault: true }, {}, {}],
    });
  });

  it("takes the key as the user name of HTTP Basic too", async () => {
    const basic = Buffer.from("crsr_a:").toString("base64");
    const { body } = await call("GET", "/v1/me", { authorization: `Basic ${basic}` });
    expect(body).toMatchObject({ apiKeyName: "Simulated key", userEmail: expect.any(String) });
  });

  it("returns the usage of an agent", async () => {
    const { status, body } = await call("GET", "/v1/agents/agent-1/usage", { key: "crsr_a" });
    expect(status).toBe(200);
    expect(body.totalUsage.totalTokens).toBe(0);
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
