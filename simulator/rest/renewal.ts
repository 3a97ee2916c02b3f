import type { Tokens } from "../auth/tokens.js";
import type { World } from "../world.js";
import { type Answer, type Route, textOf } from "./route.js";

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
      return { status: 500, json: { error: "Internal Server Error" } };
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
