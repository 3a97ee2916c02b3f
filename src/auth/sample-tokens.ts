import { type Clock, systemClock } from "../clock.js";
import { createNetwork } from "../network/index.js";
import { type TokenSource, tokensFrom } from "./token.js";

/** Tokens of a key that the simulator takes, for tests. */
export function sampleTokens(backendUrl: string, clock: Clock = systemClock): TokenSource {
  const credential = { kind: "api-key", apiKey: "crsr_test" } as const;
  return tokensFrom(
    { credential, from: "a test", fix: "Run: curlew login" },
    { backendUrl, clock, network: createNetwork() },
  );
}
