import { createHash } from "node:crypto";
import type { Clock } from "../clock.js";

interface CallerAccountsDeps<Account> {
  readonly open: (credential: string) => Account;
  readonly clock: Clock;
  readonly max: number;
  /** The time since its last use. */
  readonly maxAgeMs: number;
}

/**
 * Keeps what was opened for a credential while its caller keeps coming. The key is derived from the credential and is not the
 * credential itself.
 */
export function callerAccounts<Account>(deps: CallerAccountsDeps<Account>): (credential: string) => Account {
  const { open, clock, max, maxAgeMs } = deps;
  // A map keeps the order of insertion, so the account that was unused for longest comes first.
  const accounts = new Map<string, { account: Account; usedMs: number }>();
  return (credential) => {
    const nowMs = clock.now();
    const name = createHash("sha256").update(credential).digest("base64url");
    const known = accounts.get(name);
    const isKnown = known !== undefined && nowMs - known.usedMs < maxAgeMs;
    const account = isKnown ? known.account : open(credential);
    accounts.delete(name);
    accounts.set(name, { account, usedMs: nowMs });
    for (const [oldest, { usedMs }] of accounts) {
      if (accounts.size <= max && nowMs - usedMs < maxAgeMs) break;
      accounts.delete(oldest);
    }
    return account;
  };
}
