import { expiryMs } from "@curlew/gateway/account/claims.js";
import type { FoundCredential } from "@curlew/gateway/account/credential.js";
import { callerAccounts, callerCredential, findCredential } from "@curlew/gateway/account/find-credential.js";
import type { OwnStore } from "@curlew/gateway/account/stores/own-store.js";
import { reloadedTokens, type TokenSource, tokensFrom } from "@curlew/gateway/account/token.js";
import { open as openAgent } from "@curlew/gateway/backends/agent/index.js";
import type { Backend, BackendName } from "@curlew/gateway/backends/backend.js";
import type { BackendAccount, BackendParts, OpenBackend } from "@curlew/gateway/backends/backend-parts.js";
import { Backends, type Routing } from "@curlew/gateway/backends/choose/index.js";
import { familyRules, readVendors } from "@curlew/gateway/backends/profile/index.js";
import { type RegisteredBackend, registry } from "@curlew/gateway/backends/registry.js";
import type { Account, BackendWithModels } from "@curlew/gateway/core/index.js";
import { createCatalogue, type modelFile } from "@curlew/gateway/models/index.js";
import type { Network } from "@curlew/gateway/network/index.js";
import { type Clock, systemClock } from "@curlew/gateway/system/clock.js";
import { publish } from "@curlew/gateway/turn/events/channels.js";
import type { InnerSettings, Settings } from "../config/settings.js";
import type { Log } from "../log/log.js";
import { ownStore } from "./prepare/own-files.js";

/** Opens the backends that turns may use, for all accounts. Code of other backends is not loaded. */
export async function openBackends(names: readonly RegisteredBackend[], parts: BackendParts<InnerSettings>) {
  // Always opened: it also reads the account and Cursor's server config.
  const agentOf = openAgent(parts);
  const opened = new Map<BackendName, ReturnType<OpenBackend<InnerSettings>>>();
  for (const name of names) {
    if (name === "agent") continue;
    const { open } = await registry[name].open();
    opened.set(name, open(parts));
  }
  const backendOf = (name: BackendName, account: BackendAccount): Backend => (opened.get(name) ?? agentOf)(account);
  return { agentOf, backendOf };
}

interface AccountDeps {
  readonly settings: Settings;
  readonly routing: Routing;
  readonly backends: Awaited<ReturnType<typeof openBackends>>;
  readonly network: Network;
  readonly clock: Clock;
}

export function accountWith(tokens: TokenSource, { credential }: FoundCredential): BackendAccount {
  return { tokens, apiKey: credential.kind === "api-key" ? credential.apiKey : undefined };
}

/** The backends of one account, each with its models. `keepIn` names the cache file of each list; by default there is none. */
export function backendsOf(
  { settings, routing, clock }: AccountDeps,
  backendOf: (name: BackendName) => Backend,
  keepIn?: (name: BackendName) => ReturnType<typeof modelFile>,
): Backends<BackendWithModels> {
  const open = (name: BackendName): BackendWithModels => {
    const backend = backendOf(name);
    const catalogue = createCatalogue({
      fetchModels: (signal) => backend.models(signal),
      ...(keepIn !== undefined && { cache: keepIn(name) }),
      rulesOf: familyRules(settings.profile),
      preferences: {
        aliases: settings.modelAliases,
        vendors: readVendors(settings.profile),
        knowsOwnNamesOnly: settings.strictModels,
        prefersMax: settings.maxMode,
      },
    });
    return { backend, catalogue };
  };
  return new Backends<BackendWithModels>({ routing, open, now: clock.now });
}

/** The accounts of credentials in requests, cached for a while. */
export function callersOf(deps: AccountDeps): (credential: string) => Account {
  const { settings, backends, network, clock } = deps;
  const open = (text: string): Account => {
    const found = callerCredential(text);
    const tokens = tokensFrom(found, { backendUrl: settings.backendUrl, clock, network });
    const account = accountWith(tokens, found);
    return { account: tokens.account, backends: backendsOf(deps, (name) => backends.backendOf(name, account)) };
  };
  return callerAccounts(open, clock);
}

/** The tokens of the gateway's own account. Picks up a new credential from `curlew login`. */
export function ownTokens(
  settings: Settings,
  credential: FoundCredential,
  { gatewayId, network, log }: { gatewayId: string; network: Network; log: Log },
): TokenSource {
  const { backendUrl } = settings;
  const own = ownStore(settings);
  const onSession = (accessToken: string, old: string | undefined) => {
    keepRenewed(own, accessToken, old).catch((problem) => log.warn({ err: problem }, "renewed session not kept"));
  };
  const onRenewal = (isRenewed: boolean) => publish("curlew:token:renewed", { gateway: gatewayId, isRenewed });
  const deps = { backendUrl, clock: systemClock, network, onSession, onRenewal };
  const open = (found: FoundCredential) => tokensFrom(found, deps);
  let stamp = own.stamp;
  return reloadedTokens(open(credential), async () => {
    if (own.stamp === stamp) return undefined;
    stamp = own.stamp;
    const found = await findCredential({ ...settings, store: own });
    return found && open(found);
  });
}

/** Replaces the old session with a renewed one, if the old one is still stored. */
async function keepRenewed(store: OwnStore, accessToken: string, old: string | undefined): Promise<void> {
  const lookup = await store.read();
  if (lookup.state !== "kept" || lookup.kept.secret.kind !== "session") return;
  if (lookup.kept.secret.accessToken !== old) return; // replaced by a newer sign-in
  // Cursor's editor also stores the new token as both.
  const secret = { ...lookup.kept.secret, accessToken, refreshToken: accessToken };
  await store.write({ ...lookup.kept, secret, expiresMs: expiryMs(accessToken) });
}
