import { setTimeout as sleep } from "node:timers/promises";
import { keyVerdict } from "../auth/keys.js";
import { type Account, bearer, type Tokens } from "../auth/tokens.js";
import type { World } from "../server/world.js";
import { type Answer, type Route, textOf } from "./route.js";

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

/**
 * The public client id of Cursor's desktop app, the only client that renews sessions like this (docs/protocol/wire.md, sign-in).
 */
const DESKTOP_CLIENT_ID = "KbZUR41cY7W6zRSdpSUJ7I7mLYBKOCmB";

const dead: Answer = { status: 200, json: { access_token: "", id_token: "", shouldLogout: true } };

/** Exchanges a session for a newer one. Tokens from an API key cannot be renewed. */
export function renewalRoutes({ options, stats }: World, tokens: Tokens): Route[] {
  const renew = (body: unknown): Answer => {
    stats.refreshes += 1;
    if (options.refresh === "refuse") return dead;
    if (options.refresh !== "ok") {
      const left = Number(options.refresh.slice("fail-".length)) - 1;
      options.refresh = left > 0 ? `fail-${left}` : "ok";
      return serverError;
    }
    if (textOf(body, "grant_type") !== "refresh_token")
      return { status: 400, json: { error: "unsupported_grant_type" } };
    if (textOf(body, "client_id") !== DESKTOP_CLIENT_ID) return { status: 401, json: { error: "invalid_client" } };
    const given = textOf(body, "refresh_token") ?? "";
    if (!tokens.check(`Bearer ${given}`).isValid || tokens.read(given)?.type !== "session") return dead;
    const session = tokens.issue("session", options.sessionTtlSeconds);
    return { status: 200, json: { access_token: session, id_token: session, shouldLogout: false } };
  };
  return [{ method: "POST", path: "/oauth/token", answer: (call) => renew(call.body) }];
}
