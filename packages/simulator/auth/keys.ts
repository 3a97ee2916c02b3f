import { randomBytes } from "node:crypto";

/** The simulator's verdict on an API key. It depends on the key's first letters; the rest is free. */
export type KeyVerdict = "good" | "flagged" | "refused" | "policy" | "broken" | "limited" | { slowMs: number };

const verdictByPrefix: readonly [prefix: string, verdict: KeyVerdict][] = [
  ["crsr_bad", "refused"],
  ["crsr_revoked", "refused"],
  ["crsr_flagged", "flagged"],
  ["crsr_policy", "policy"],
  ["crsr_500", "broken"],
  ["crsr_429", "limited"],
];

/** `crsr_slow` takes a second, `crsr_slow250_...` a quarter of one. */
const SLOW = /^crsr_slow(\d{0,6})/;

export function keyVerdict(key: string): KeyVerdict {
  const slow = SLOW.exec(key);
  if (slow !== null) return { slowMs: Number(slow[1] || 1_000) };
  const listed = verdictByPrefix.find(([prefix]) => key.startsWith(prefix));
  if (listed !== undefined) return listed[1];
  return key.startsWith("crsr_") ? "good" : "refused";
}

/** Cursor's REST API takes the key itself, as Bearer or as the user name of HTTP Basic. */
export function keyFrom(authorization: string | undefined): string | undefined {
  const [, scheme, value] = /^(bearer|basic) +(\S+) *$/i.exec(authorization ?? "") ?? [];
  if (scheme === undefined || value === undefined) return undefined;
  if (scheme.toLowerCase() === "bearer") return value;
  return Buffer.from(value, "base64").toString().split(":", 1)[0];
}

/** A key for the account. Its prefix matches no verdict, whatever the secret. */
export function mintedKey(secret = randomBytes(32).toString("hex")): string {
  return `crsr_minted_${secret}`;
}
