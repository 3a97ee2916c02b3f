import { hash, randomBytes } from "node:crypto";
import type { Clock } from "@curlew/gateway/system/clock.js";
import { BoundedMap } from "@curlew/gateway/turn/bounded-map.js";

export const LINK_MINUTES = 10;
const LINK_MS = LINK_MINUTES * 60_000;
const SECRET_BYTES = 32;
/** Beyond this number the oldest are evicted. */
const MAX_LINKS = 32;

interface LinkDeps {
  readonly clock: Pick<Clock, "now">;
  /** Changes when all pages are closed, which voids the links too. */
  readonly generation: () => string;
}

/** Single-use links to the page, valid for ten minutes. Kept only in memory, as hashes. */
export function createPageLinks({ clock, generation }: LinkDeps) {
  const links = new BoundedMap<string, { readonly madeMs: number; readonly generation: string }>(MAX_LINKS);
  return {
    make(): string {
      const secret = randomBytes(SECRET_BYTES).toString("base64url");
      links.set(digestOf(secret), { madeMs: clock.now(), generation: generation() });
      return secret;
    },
    /** Consumes a link. True if it was valid. */
    use(secret: string): boolean {
      const digest = digestOf(secret);
      const link = links.get(digest);
      links.delete(digest);
      if (link === undefined) return false;
      const ageMs = clock.now() - link.madeMs;
      // A clock that was set back must not make a link last longer.
      return ageMs >= 0 && ageMs < LINK_MS && link.generation === generation();
    },
  };
}

/** The address that opens the page. Browsers do not send the fragment, so no server or log sees the secret. */
export function linkTo(gatewayUrl: string, secret: string): string {
  return `${new URL("/", gatewayUrl).href}#open=${secret}`;
}

function digestOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}
