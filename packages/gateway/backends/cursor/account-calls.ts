import { DashboardService } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { GatewayError } from "../../turn/error.js";
import { type CallTarget, callUnary } from "./unary.js";

const TIMEOUT_MS = 20_000;
const { createUserApiKey, getMe } = DashboardService.method;

interface AccountDeps extends CallTarget {
  readonly token: string;
  readonly signal: AbortSignal;
}

/** Creates an API key; undefined when Cursor refuses to. @throws GatewayError when Cursor cannot be reached or fails otherwise */
export async function mintKey(
  { name, expiresMs }: { name: string; expiresMs: number },
  deps: AccountDeps,
): Promise<string | undefined> {
  try {
    const request = { name, expiresAt: BigInt(expiresMs) };
    const { apiKey } = await callUnary(createUserApiKey, request, { ...deps, timeoutMs: TIMEOUT_MS });
    return apiKey === "" ? undefined : apiKey;
  } catch (thrown) {
    if (deps.signal.aborted) throw new GatewayError("canceled", "The login was canceled. Nothing was kept.");
    if (thrown instanceof GatewayError && !thrown.shouldClientRetry) return undefined;
    const message = "Cursor could not create an API key. Run: curlew login";
    throw new GatewayError("upstream_error", message, { cause: thrown });
  }
}

/** The account's e-mail address. Nothing depends on it, so a failure gives undefined. */
export async function accountEmail(deps: AccountDeps): Promise<string | undefined> {
  const me = await callUnary(getMe, {}, { ...deps, timeoutMs: TIMEOUT_MS }).catch(() => undefined);
  return me?.email || undefined;
}

/** Whether Cursor says that the token is invalid. Other failures say nothing about it. */
export async function isTokenRefused(deps: AccountDeps): Promise<boolean> {
  return callUnary(getMe, {}, { ...deps, timeoutMs: TIMEOUT_MS }).then(
    () => false,
    (thrown) => thrown instanceof GatewayError && thrown.kind === "authentication",
  );
}
