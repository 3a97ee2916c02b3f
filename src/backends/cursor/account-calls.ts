import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { DashboardService } from "../../gen/aiserver_v1_pb.js";
import type { Network } from "../../network/index.js";
import { GatewayError } from "../../turn/error.js";

const TIMEOUT_MS = 20_000;

interface AccountDeps {
  readonly backendUrl: string;
  readonly network: Pick<Network, "agentFor">;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** A new API key of the account under a name, good until then; undefined when Cursor refuses to make one. */
export async function mintKey(
  { name, expiresMs }: { name: string; expiresMs: number },
  { backendUrl, network, token, signal }: AccountDeps,
): Promise<string | undefined> {
  try {
    const request = { name, expiresAt: BigInt(expiresMs) };
    const { apiKey } = await dashboard(backendUrl, network).createUserApiKey(request, options(token, signal));
    return apiKey === "" ? undefined : apiKey;
  } catch (thrown) {
    if (signal.aborted) throw new GatewayError("canceled", "The login was canceled. Nothing was kept.");
    const { code } = ConnectError.from(thrown);
    const isRefused = [Code.Unauthenticated, Code.PermissionDenied, Code.FailedPrecondition, Code.Unimplemented];
    if (isRefused.includes(code)) return undefined;
    const message = "Cursor could not make an API key just now. Run: curlew login";
    throw new GatewayError("upstream_error", message, { cause: thrown });
  }
}

/** Whose account it is. Nothing depends on it, so trouble leaves it unknown. */
export async function accountEmail({ backendUrl, network, token, signal }: AccountDeps): Promise<string | undefined> {
  const me = await dashboard(backendUrl, network)
    .getMe({}, options(token, signal))
    .catch(() => undefined);
  return me?.email || undefined;
}

/** Whether Cursor says that the token is no good. Other trouble says nothing about it. */
export async function isTokenRefused({ backendUrl, network, token, signal }: AccountDeps): Promise<boolean> {
  try {
    await dashboard(backendUrl, network).getMe({}, options(token, signal));
    return false;
  } catch (thrown) {
    return ConnectError.from(thrown).code === Code.Unauthenticated;
  }
}

function dashboard(baseUrl: string, network: AccountDeps["network"]) {
  const nodeOptions = { agent: network.agentFor(new URL(baseUrl)) };
  return createClient(DashboardService, createConnectTransport({ baseUrl, httpVersion: "1.1", nodeOptions }));
}

function options(token: string, signal: AbortSignal) {
  return { headers: { authorization: `Bearer ${token}` }, signal, timeoutMs: TIMEOUT_MS };
}
