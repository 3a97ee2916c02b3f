import { type TokenSource, tokensFrom } from "../../src/auth/token.js";
import { type Clock, systemClock } from "../../src/clock.js";
import { createNetwork } from "../../src/network/index.js";

/** Tokens of a key that the simulator accepts. */
export function sampleTokens(backendUrl: string, clock: Clock = systemClock): TokenSource {
  const credential = { kind: "api-key", apiKey: "crsr_test" } as const;
  return tokensFrom(
    { credential, from: "a test", fix: "Run: curlew login" },
    { backendUrl, clock, network: createNetwork() },
  );
}
