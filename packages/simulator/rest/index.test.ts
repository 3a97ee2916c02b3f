import { expect, it } from "vitest";
import { describeRest } from "../../../testing/simulator/rest-client.js";

describeRest("requests that fit nothing", ({ call }) => {
  it("get the 404 of Cursor's server for unknown routes", async () => {
    expect(await call("GET", "/v1/nothing?x=1")).toMatchObject({
      status: 404,
      body: { message: "Route GET:/v1/nothing not found", error: "Not Found", statusCode: 404 },
    });
    expect((await call("GET", "/auth/exchange_user_api_key")).status).toBe(404);
    expect((await call("GET", "/v1/agents/a/b/usage")).status).toBe(404);
  });

  it("get 400 when the body is not JSON or is too long", async () => {
    expect(await call("POST", "/oauth/token", { body: "{" })).toMatchObject({
      status: 400,
      body: { statusCode: 400 },
    });
    const long = JSON.stringify({ text: "x".repeat(1_100_000) });
    expect(await call("POST", "/oauth/token", { body: long })).toMatchObject({ status: 400 });
  });
});
