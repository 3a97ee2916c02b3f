import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { restClient } from "../../testing/simulator/rest-client.js";
import { defaultOptions, type Simulator, startSimulator } from "../index.js";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.configure(defaultOptions);
  simulator.reset();
});

describe.each(["1.1", "2"] as const)("over HTTP/%s", (httpVersion) => {
  const { call, close } = restClient(httpVersion, () => simulator.url);
  afterAll(close);

  describe("requests that fit nothing", () => {
    it("get what Cursor's server says about unknown routes", async () => {
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
});
