import type { FoundCredential } from "../auth/credential.js";
import { findCredential } from "../auth/find-credential.js";
import { reloadedTokens } from "../auth/reloaded-tokens.js";
import { type TokenSource, tokensFrom } from "../auth/token.js";
import { systemClock } from "../clock.js";
import type { Settings } from "../config/settings.js";
import type { Network } from "../network/index.js";
import type { Log } from "../ops/log.js";
import { keepRenewed } from "./keep-renewed.js";
import { ownStore } from "./start/own-store.js";

/** The tokens of the gateway's own account. What `curlew login` keeps in the meantime is taken over. */
export function ownTokens(
  settings: Settings,
  credential: FoundCredential,
  { network, log }: { network: Network; log: Log },
): TokenSource {
  const { backendUrl } = settings;
  const own = ownStore(settings);
  const onSession = keepRenewed(own, (problem) => log.warn({ err: problem }, "renewed session not kept"));
  const open = (found: FoundCredential) => tokensFrom(found, { backendUrl, clock: systemClock, network, onSession });
  let stamp = own.stamp;
  return reloadedTokens(open(credential), async () => {
    if (own.stamp === stamp) return undefined;
    stamp = own.stamp;
    const found = await findCredential({ ...settings, store: own });
    return found && open(found);
  });
}
