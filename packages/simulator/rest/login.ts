import type { Logins } from "../auth/logins.js";
import type { Tokens } from "../auth/tokens.js";
import { ownerSubject } from "../auth/tokens.js";
import type { SimulatorOptions } from "../server/options.js";
import type { World } from "../server/world.js";
import { type Answer, type Call, notFound, type Route, textOf } from "./route.js";

const APPROVE_PATH = "/api/auth/loginDeepCallbackControl";

/** The browser login: the page, the request of its button, and the poll that waits for it. */
export function loginRoutes({ options, stats }: World, tokens: Tokens, logins: Logins): Route[] {
  const poll = (uuid: string | undefined, verifier: string | undefined): Answer => {
    if (!uuid || !verifier) return { status: 400, json: { error: "uuid and verifier are required" } };
    const outcome = logins.poll(uuid, verifier);
    switch (outcome) {
      case "waiting":
        return { status: 404, text: "Not found", contentType: "text/plain" };
      case "denied":
        return { status: 403, json: { error: "sign_in_policy_violation" } };
      case "failed":
        return { status: 500, json: { error: "Internal Server Error" } };
    }
    stats.logins += 1;
    const session = tokens.issue("session", options.sessionTtlSeconds);
    if (outcome === "half") return { status: 200, json: { accessToken: session } };
    return { status: 200, json: { accessToken: session, refreshToken: session, authId: ownerSubject } };
  };

  const openPage = ({ query }: Call): Answer => {
    const uuid = query.get("uuid");
    const challenge = query.get("challenge");
    if (!uuid || !challenge) return { status: 400, text: "This login link lacks its uuid or its challenge." };
    const isOpen = logins.open(uuid, challenge);
    return {
      status: 200,
      text: isOpen
        ? loginPage(prospect(options), options.login === "wait" ? approveForm(uuid, challenge) : "")
        : loginPage(USED_UP),
      contentType: "text/html; charset=utf-8",
    };
  };

  const approve = ({ body }: Call): Answer => {
    const uuid = textOf(body, "uuid");
    const challenge = textOf(body, "challenge");
    if (!uuid || !challenge) return { status: 400, json: { error: "uuid and challenge are required" } };
    return logins.approve(uuid, challenge) ? { status: 200, json: {} } : { status: 400, json: { error: USED_UP } };
  };

  return [
    { method: "GET", path: "/loginDeepControl", answer: openPage },
    { method: "POST", path: APPROVE_PATH, answer: approve },
    {
      method: "GET",
      path: "/auth/poll",
      answer: ({ query }) => poll(query.get("uuid") ?? undefined, query.get("verifier") ?? undefined),
    },
    {
      method: "POST",
      path: "/auth/poll",
      answer: ({ body, method, path }) =>
        options.login === "no-post" ? notFound(method, path) : poll(textOf(body, "uuid"), textOf(body, "verifier")),
    },
  ];
}

const USED_UP = "This login link was used already. Start the login again.";

function prospect({ login }: SimulatorOptions): string {
  switch (login) {
    case "approve":
    case "no-post":
      return "The simulator signs you in with the next poll. There is nothing to do here.";
    case "half":
      return "The simulator signs you in with the next poll, but leaves a token out of its answer.";
    case "wait":
      return "The simulator waits until you say yes here.";
    case "deny":
      return "The simulator denies this login by a policy of the organisation.";
    case "error":
      return "The simulator answers every poll of this login with an internal error.";
    default:
      return "The simulator answers the next polls with an internal error, then signs you in.";
  }
}

/** The only page of the simulated website. `text` is ours, so nothing needs escaping. */
function loginPage(text: string, form = ""): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Simulated login</title></head>
<body style="font-family: sans-serif; margin: 4rem auto; max-width: 32rem">
<h1>Simulated login</h1>
<p>This is not Cursor. It is the simulator that comes with Curlew.</p>
<p>${text}</p>
${form}</body>
</html>
`;
}

/** The button to agree. Both values come from the address, so they are accepted only in their exact form. */
function approveForm(uuid: string, challenge: string): string {
  if (!/^[\w-]+$/.test(uuid) || !/^[\w-]+$/.test(challenge)) return "";
  return `<form action="${APPROVE_PATH}">
<input type="hidden" name="uuid" value="${uuid}">
<input type="hidden" name="challenge" value="${challenge}">
<button>Yes, sign in</button>
</form>
<script>
document.forms[0].addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = JSON.stringify(Object.fromEntries(new FormData(event.target)));
  const answer = await fetch(event.target.action, { method: "POST", headers: { "content-type": "application/json" }, body });
  event.target.replaceWith(answer.ok ? "Signed in. You can close this page." : "This login link was used already.");
});
</script>
`;
}
