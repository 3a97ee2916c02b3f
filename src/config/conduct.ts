import type { Constants } from "./constants.js";

/** `careful` is for accounts whose owner must not stand out at Cursor, such as those of an employer (docs/decisions/0039). */
export const conducts = ["usual", "careful"] as const;

export type Conduct = (typeof conducts)[number];

/** Under careful conduct no run waits longer for a client. */
const CAREFUL_LEASE_MS = 60_000;

const carefulConstants = { maxRuns: 2, retries: 0 } satisfies Partial<Constants>;

interface Conducted {
  readonly conduct: Conduct;
  readonly leaseMs: number;
}

/** What the gateway goes by instead of its constants and of the settings, where the conduct asks for less. */
export function conductLimits({ conduct, leaseMs }: Conducted): Partial<Constants & Pick<Conducted, "leaseMs">> {
  if (conduct === "usual") return {};
  return { ...carefulConstants, leaseMs: Math.min(leaseMs, CAREFUL_LEASE_MS) };
}

/** Sentences about settings that careful conduct overrules. Backends that it does not allow stop the start instead. */
export function conductWarnings({ conduct, leaseMs }: Conducted, origins: { readonly leaseMs?: string }): string[] {
  const { leaseMs: origin } = origins;
  if (conduct === "usual" || origin === undefined || leaseMs <= CAREFUL_LEASE_MS) return [];
  return [`${origin} is longer than careful conduct lets a run wait, so a minute counts (${CAREFUL_LEASE_MS}).`];
}
