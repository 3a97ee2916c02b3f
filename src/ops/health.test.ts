import { expect, it } from "vitest";
import { createHealth } from "./health.js";

it("answers from what is known now, without waiting for anybody", () => {
  let nowMs = 1_000;
  const tokens = { state: "unchecked" as const, expiresMs: 60_000 };
  const health = createHealth({
    version: "1.2.3",
    backend: "simulator",
    isSimulated: true,
    tokens,
    mcp: () => ({ enabled: true, servers: 2, tools: 15 }),
    backends: () => ({ agent: { state: "ok", lastSuccess: "2026-01-01T00:00:00.000Z", lastError: null } }),
    drift: () => ({ unknownExec: 2 }),
    transport: () => ({ name: "h1", reason: "set" }),
    conversations: () => ({ parkedRuns: 1, continuity: { warm: 3 } }),
    now: () => nowMs,
  });
  expect(health()).toMatchObject({ auth: "unchecked", uptimeSeconds: 0 });
  nowMs = 63_500;
  expect(health()).toEqual({
    status: "ok",
    version: "1.2.3",
    auth: "expired",
    backend: "simulator",
    simulator: true,
    mcp: { enabled: true, servers: 2, tools: 15 },
    backends: { agent: { state: "ok", lastSuccess: "2026-01-01T00:00:00.000Z", lastError: null } },
    drift: { unknownExec: 2 },
    transport: { name: "h1", reason: "set" },
    conversations: { parkedRuns: 1, continuity: { warm: 3 } },
    uptimeSeconds: 62,
  });
});
