import { expect, it } from "vitest";
import { createHealth } from "./health.js";

const known = {
  mcp: { enabled: true, servers: 2, tools: 15 },
  drift: { unknownExec: 2 },
  transport: { name: "h1", reason: "set" },
  conversations: {
    ...{ openRuns: 2, peakRuns: 3, waitingRequests: 1, parkedRuns: 1, runsLetGo: 0 },
    continuity: { warm: 3 },
  },
  lostLogLines: 2,
  updated: false,
};

it("answers synchronously from the current state", () => {
  let nowMs = 1_000;
  const fared = { state: "ok", lastSuccess: "2026-01-01T00:00:00.000Z", lastError: null } as const;
  let shown: "unchecked" | "authenticated" = "unchecked";
  const tokens = { state: "unchecked" as const, expiresMs: 60_000 };
  const health = createHealth({
    tokens,
    usual: "agent",
    hasOwnLogin: (name) => name === "cli",
    read: () => ({
      ...{ version: "1.2.3", backend: "simulator", simulator: true, conduct: "careful" },
      ...known,
      backends: { agent: { auth: shown, ...fared }, cli: { auth: "authenticated", ...fared } },
    }),
    now: () => nowMs,
  });
  expect(health()).toMatchObject({ auth: "unchecked", uptimeSeconds: 0 });
  shown = "authenticated";
  expect(health()).toMatchObject({ auth: "authenticated" });
  nowMs = 63_500;
  expect(health()).toEqual({
    status: "ok",
    version: "1.2.3",
    auth: "expired",
    backend: "simulator",
    simulator: true,
    conduct: "careful",
    ...known,
    backends: { agent: { auth: "expired", ...fared }, cli: { auth: "authenticated", ...fared } },
    uptimeSeconds: 62,
  });
});
