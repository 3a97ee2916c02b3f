import { createHash, randomBytes, randomUUID } from "node:crypto";
import { askInJson, blockedNetwork, type Network } from "../../network/index.js";
import type { Clock } from "../../system/clock.js";
import { anySignal } from "../../turn/any-signal.js";
import { GatewayError } from "../../turn/error.js";
import { field, textField } from "../../turn/read-json.js";

export type Handshake = ReturnType<typeof createHandshake>;

/** One attempt at a browser login. Anyone with the id and the verifier can fetch the session, so only Cursor gets the verifier. */
export function createHandshake(websiteUrl: string) {
  const verifier = randomBytes(32).toString("base64url");
  // The hash covers the text of the verifier, not the bytes that it encodes (docs/protocol/wire.md, sign-in).
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const uuid = randomUUID();
  const url = new URL("/loginDeepControl", websiteUrl);
  for (const [name, value] of Object.entries({ challenge, uuid, mode: "login", redirectTarget: "cli" })) {
    url.searchParams.append(name, value);
  }
  return { uuid, verifier, url: url.href };
}

/** As many as Cursor's own clients make (docs/protocol/wire.md, sign-in). */
const MAX_POLLS = 150;
const MAX_ERRORS_IN_A_ROW = 3;
const ASK_TIMEOUT_MS = 20_000;

export interface Session {
  readonly accessToken: string;
  readonly refreshToken: string;
}

interface AwaitSessionDeps {
  readonly handshake: Handshake;
  readonly backendUrl: string;
  readonly clock: Clock;
  readonly network: Pick<Network, "fetch">;
  readonly signal: AbortSignal;
  /** Called once, after Cursor's first answer: only then is the page worth opening. */
  readonly onReached?: () => Promise<void>;
}

type PollAnswer =
  | { readonly state: "waiting" }
  | { readonly state: "no-post-route" }
  | { readonly state: "unreachable" | "error"; readonly error: GatewayError }
  | { readonly state: "done"; readonly session: Session };

/** Polls for about twenty minutes, with backoff, until the user approves in the browser. @throws GatewayError, also when Cursor refuses */
export async function awaitSession(deps: AwaitSessionDeps): Promise<Session> {
  const { clock, signal } = deps;
  let method: "POST" | "GET" = "POST";
  let errors = 0;
  let isReached = false;
  for (let polls = 0; polls < MAX_POLLS; ) {
    const answer = await poll(method, deps);
    if (signal.aborted) throw new GatewayError("canceled", "The login was canceled. Nothing was kept.");
    if (!isReached) {
      if (answer.state === "unreachable") throw answer.error;
      isReached = true;
      await deps.onReached?.();
    }
    switch (answer.state) {
      case "done":
        return answer.session;
      case "no-post-route":
        method = "GET";
        continue;
      case "waiting":
        errors = 0;
        break;
      case "unreachable":
      case "error":
        errors += 1;
        if (errors >= MAX_ERRORS_IN_A_ROW) throw answer.error;
    }
    // The pauses of Cursor's own clients (docs/protocol/wire.md, sign-in).
    await clock.sleep(Math.min(1_000 * 1.2 ** polls++, 10_000), signal);
    if (signal.aborted) throw new GatewayError("canceled", "The login was canceled. Nothing was kept.");
  }
  throw new GatewayError("timeout", "The login was not approved in the browser in time. Run: curlew login");
}

async function poll(method: "POST" | "GET", deps: AwaitSessionDeps): Promise<PollAnswer> {
  const { handshake, backendUrl, network, signal } = deps;
  const { uuid, verifier } = handshake;
  const url = new URL("/auth/poll", backendUrl);
  // Older servers know only the form with the verifier in the address.
  if (method === "GET") url.search = new URLSearchParams({ uuid, verifier }).toString();
  const asked = askInJson(network, url, {
    method,
    ...(method === "POST" && { body: JSON.stringify({ uuid, verifier }) }),
    signal: anySignal([signal, AbortSignal.timeout(ASK_TIMEOUT_MS)]),
  });
  const answer = await asked.catch((thrown: unknown) => GatewayError.from(thrown));
  if (answer instanceof GatewayError) return { state: "unreachable", error: withDoctor(answer) };
  if (answer.isForeign) return { state: "unreachable", error: withDoctor(blockedNetwork(answer.status)) };
  return readAnswer(method, answer);
}

/** Another login would fail in the same way, so the message names `curlew doctor` instead. */
function withDoctor(error: GatewayError): GatewayError {
  return new GatewayError(error.code, `${error.message} To find out what is wrong: curlew doctor`, { cause: error });
}

function readAnswer(method: "POST" | "GET", { status, text, json }: Awaited<ReturnType<typeof askInJson>>): PollAnswer {
  if (status === 404 && text.trim() === "Not found") return { state: "waiting" };
  if (status === 404 && method === "POST" && text.includes("Route POST:/auth/poll not found")) {
    return { state: "no-post-route" };
  }
  if (status === 403 && text.includes("sign_in_policy_violation")) {
    const message =
      "Cursor denied the login: a sign-in policy of your organisation forbids it. Ask your administrator.";
    throw new GatewayError("permission_denied", message);
  }
  if (status !== 200) {
    const message = `The login failed: Cursor answered with HTTP status ${status}. Run: curlew login`;
    return { state: "error", error: new GatewayError("upstream_error", message) };
  }
  const accessToken = textField(json, "accessToken");
  const refreshToken = field(json, "refreshToken");
  if (accessToken !== "" && typeof refreshToken === "string") {
    return { state: "done", session: { accessToken, refreshToken } };
  }
  throw new GatewayError("upstream_error", "Cursor approved the login but sent no session. Run: curlew login");
}
