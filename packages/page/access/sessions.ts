import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Caller } from "@curlew/gateway/core/index.js";
import type { Clock } from "@curlew/gateway/system/clock.js";
import { createPageLinks } from "./links.js";
import { PageSecret, type SecretDeps } from "./page-secret.js";

/** Header with the proof of the session. Unlike a cookie, browsers do not send it to other ports of this host. */
export const PAGE_HEADER = "x-curlew-page";

export const SESSION_SECONDS = 30 * 24 * 60 * 60;
const SESSION_MS = SESSION_SECONDS * 1000;
const ID_BYTES = 16;
const COOKIE = /^([\w-]{22})\.(\d{13,15})\.([\w-]{43})$/;

interface SessionDeps {
  readonly secret: Pick<PageSecret, "current" | "made">;
  /** The gateway's own key, if any. Part of the signing key, so that changing it ends all sessions. */
  readonly key: string | undefined;
  readonly clock: Pick<Clock, "now">;
}

/** Access to the page. Stateless: the cookie, which has its expiry, and the proof are signed. */
export type PageSessions = ReturnType<typeof createPageSessions>;

export function createPageSessions({ secret, key, clock }: SessionDeps) {
  /** The signing key; undefined until the first session. */
  const current = () => (secret.current === undefined ? undefined : withKey(secret.current, key));
  /** The session of a cookie; undefined if forged or expired. */
  const sessionIn = (cookie: string, signing: string) => {
    const [, id = "", expires = "", mac = ""] = COOKIE.exec(cookie) ?? [];
    if (!isSame(mac, cookieMac(signing, id, expires))) return undefined;
    const expiresMs = Number(expires);
    return clock.now() < expiresMs ? { id, expiresMs } : undefined;
  };
  return {
    /** Name of the cookie, specific to this home; undefined until the first session. */
    get cookieName(): string | undefined {
      const signing = current();
      return signing === undefined ? undefined : cookieNameOf(signing);
    },
    /** Opens or continues a session: gateways of one home share the cookie, and open pages keep its proof. */
    open(cookieHeader: string | undefined) {
      const signing = withKey(secret.made, key);
      const nowMs = clock.now();
      // Never extend it: other programs on this host can set cookies, and could have their session renewed for ever.
      const earlier = cookiesIn(cookieHeader, cookieNameOf(signing))
        .map((each) => sessionIn(each, signing))
        .find((session) => session !== undefined && session.expiresMs - nowMs > SESSION_MS / 2);
      const newest = { id: randomBytes(ID_BYTES).toString("base64url"), expiresMs: nowMs + SESSION_MS };
      const { id, expiresMs } = earlier ?? newest;
      const cookie = `${id}.${expiresMs}.${cookieMac(signing, id, String(expiresMs))}`;
      return { cookieName: cookieNameOf(signing), cookie, proof: proofOf(signing, id) };
    },
    /** Whether one of the cookies has an open session to which the proof belongs. */
    isOpen(cookieHeader: string | undefined, proof: string): boolean {
      const signing = current();
      if (signing === undefined) return false;
      return cookiesIn(cookieHeader, cookieNameOf(signing)).some((cookie) => {
        const session = sessionIn(cookie, signing);
        return session !== undefined && isSame(proof, proofOf(signing, session.id));
      });
    },
  };
}

/** All cookies of this name. Other programs on this host can set some too, also with longer paths. */
function cookiesIn(header = "", name: string): string[] {
  const start = `${name}=`;
  return header
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each.startsWith(start))
    .map((each) => each.slice(start.length));
}

function cookieNameOf(secret: string): string {
  return `curlew_page_${sign(secret, "name").slice(0, 8)}`;
}

function cookieMac(secret: string, id: string, expiresMs: string): string {
  return sign(secret, `cookie ${id} ${expiresMs}`);
}

function proofOf(secret: string, id: string): string {
  return sign(secret, `proof ${id}`);
}

function withKey(secret: string, key: string | undefined): string {
  return key === undefined ? secret : sign(secret, `key ${key}`);
}

function sign(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}

/** Constant-time comparison. */
function isSame(shown: string, wanted: string): boolean {
  return timingSafeEqual(hash("sha256", shown, "buffer"), hash("sha256", wanted, "buffer"));
}

export type PageDoor = ReturnType<typeof openPageDoor>;

/** Reads and writes nothing before the first login. */
export function openPageDoor({ key, ...deps }: SecretDeps & Pick<SessionDeps, "key" | "clock">) {
  const secret = new PageSecret(deps);
  const { clock } = deps;
  return {
    links: createPageLinks({ clock, generation: () => secret.made }),
    sessions: createPageSessions({ clock, secret, key }),
  };
}

/** The playground's name in the ledger, limits and lists. */
export const PLAYGROUND = "playground";

/** The caller of the playground. Its id matches no key, so it shares no conversation with a client. */
export const playground: Caller = { id: PLAYGROUND, name: PLAYGROUND };
