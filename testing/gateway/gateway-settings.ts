import type { GatewaySettings } from "../../src/gateway/gateway.js";

/** As by default, but for titles: a test that asks for one means a turn. */
export const gatewaySettings: GatewaySettings = {
  leaseMs: 60_000,
  maxParkedRuns: 256,
  toolLoopMaxRepeat: 2,
  thinkTags: true,
  writtenCalls: true,
  cheapTitles: false,
};
