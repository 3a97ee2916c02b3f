import { expiryMs } from "../auth/claims.js";
import type { FoundCredential } from "../auth/credential.js";
import { findCredential } from "../auth/find-credential.js";
import type { OwnStore } from "../auth/stores/own-store.js";
import { reloadedTokens, type TokenSource, tokensFrom } from "../auth/token.js";
import { systemClock } from "../clock.js";
import type { Settings } from "../config/settings.js";
import { publish } from "../events/index.js";
import type { Network } from "../network/index.js";
import type { Log } from "../ops/log.js";
import { ownStore } from "./prepare/own-files.js";

/** The tokens of the gateway's own account. If `curlew login` stores a new credential meanwhile, it is used. */
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
  if (lookup.kept.secret.accessToken !== old) return; // somebody has signed in again meanwhile
  // Cursor's editor also stores the new token as both.
  const secret = { ...lookup.kept.secret, accessToken, refreshToken: accessToken };
  await store.write({ ...lookup.kept, secret, expiresMs: expiryMs(accessToken) });
}
