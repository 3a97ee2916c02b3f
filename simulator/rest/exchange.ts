import { setTimeout as sleep } from "node:timers/promises";
import { keyVerdict } from "../auth/keys.js";
import { type Account, bearer, type Tokens } from "../auth/tokens.js";
import type { World } from "../world.js";
import type { Answer, Route } from "./route.js";

const invalidKey: Answer = { status: 401, json: { error: "Invalid User API Key" } };
const serverError: Answer = { status: 500, json: { error: "Internal Server Error" } };

/** Exchanges an API key for a pair of tokens that last about an hour. */
export function exchangeRoutes({ options, stats }: World, tokens: Tokens): Route[] {
  const pair = (account?: Account): Answer => {
    const token = () => tokens.issue("api_key_token", options.tokenTtlSeconds, account);
    return { status: 200, json: { accessToken: token(), refreshToken: token() } };
  };

  const exchange = async (key: string | undefined): Promise<Answer> => {
    stats.exchanges += 1;
    if (options.exchange === "refuse" || key === undefined) return invalidKey;
    if (options.exchange !== "ok") {
      const left = Number(options.exchange.slice("fail-".length)) - 1;
      options.exchange = left > 0 ? `fail-${left}` : "ok";
      return serverError;
    }
    const verdict = keyVerdict(key);
    switch (verdict) {
      case "good":
        return pair();
      case "flagged":
        return pair("flagged");
      case "refused":
        return invalidKey;
      case "policy":
        return { status: 403, json: { error: "sign_in_policy_violation" } };
      case "broken":
        return serverError;
      case "limited":
        return { status: 429, json: { error: "Too many requests" }, headers: { "retry-after": "1" } };
      default:
        await sleep(verdict.slowMs, undefined, { ref: false });
        return pair();
    }
  };

  return [
    { method: "POST", path: "/auth/exchange_user_api_key", answer: (call) => exchange(bearer(call.authorization)) },
  ];
}
