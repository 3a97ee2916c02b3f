import { type TokenSource, tokensFrom } from "../../packages/gateway/account/token.js";
import { createNetwork } from "../../packages/gateway/network/index.js";
import { type Clock, systemClock } from "../../packages/gateway/system/clock.js";

/** Tokens of a key that the simulator accepts. */
export function sampleTokens(backendUrl: string, clock: Clock = systemClock): TokenSource {
  const credential = { kind: "api-key", apiKey: "crsr_test" } as const;
  return tokensFrom(
    { credential, from: "a test", fix: "Run: curlew login" },
    { backendUrl, clock, network: createNetwork() },
  );
}
