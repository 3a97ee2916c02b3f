import { expect, it } from "vitest";
import { type AuthState, createHealth } from "./health.js";

it("answers from what is known now, without waiting for anybody", () => {
  let nowMs = 1_000;
  let auth: AuthState = "authenticated";
  const health = createHealth({
    version: "1.2.3",
    backend: "simulator",
    isSimulated: true,
    auth: () => auth,
    drift: () => ({ unknownExec: 2 }),
    now: () => nowMs,
  });
  nowMs = 63_500;
  auth = "expired";
  expect(health()).toEqual({
    status: "ok",
    version: "1.2.3",
    auth: "expired",
    backend: "simulator",
    simulator: true,
    mcp: { enabled: false, servers: 0, tools: 0 },
    drift: { unknownExec: 2 },
    uptimeSeconds: 62,
  });
});
