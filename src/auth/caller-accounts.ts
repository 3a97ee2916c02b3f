import { createHash } from "node:crypto";
import type { Clock } from "../clock.js";

interface CallerAccountsDeps<Account> {
  readonly open: (credential: string) => Account;
  readonly clock: Clock;
  readonly max: number;
  /** Since it was last used. */
  readonly maxAgeMs: number;
}

/** Remembers what was opened for a credential, for as long as its caller keeps coming. The credential itself is not the key. */
export function callerAccounts<Account>(deps: CallerAccountsDeps<Account>): (credential: string) => Account {
  const { open, clock, max, maxAgeMs } = deps;
  // A map keeps the order of insertion: the one that was not used for the longest time stands first.
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
