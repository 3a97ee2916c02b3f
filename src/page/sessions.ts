import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock.js";
import type { Caller } from "../keys/index.js";
import { createPageLinks } from "./links.js";
import { PageSecret, type SecretDeps } from "./page-secret.js";

/** The header with which the page shows the proof of its session. Browsers send it to no other address, unlike a cookie. */
export const PAGE_HEADER = "x-curlew-page";

export const SESSION_SECONDS = 30 * 24 * 60 * 60;
const SESSION_MS = SESSION_SECONDS * 1000;
const ID_BYTES = 16;
const COOKIE = /^([\w-]{22})\.(\d{13,15})\.([\w-]{43})$/;

interface SessionDeps {
  readonly secret: Pick<PageSecret, "current" | "made">;
  /** The gateway's own key, if it has one. It signs as well: whoever got in with a key that was changed since is out. */
  readonly key: string | undefined;
  readonly clock: Pick<Clock, "now">;
}

/** Who may see the page. Nothing is kept of a session: its cookie and its proof are signed, and say until when they are good. */
export type PageSessions = ReturnType<typeof createPageSessions>;

export function createPageSessions({ secret, key, clock }: SessionDeps) {
  /** What sessions are signed with; undefined as long as there was none. */
  const current = () => (secret.current === undefined ? undefined : withKey(secret.current, key));
  /** The session whose cookie this is; undefined if we have not signed it, or the session is over. */
  const sessionIn = (cookie: string, signing: string) => {
    const [, id = "", expires = "", mac = ""] = COOKIE.exec(cookie) ?? [];
    if (!isSame(mac, cookieMac(signing, id, expires))) return undefined;
    const expiresMs = Number(expires);
    return clock.now() < expiresMs ? { id, expiresMs } : undefined;
  };
  return {
    /** The name of the cookie, which no gateway of another home has; undefined as long as there was no session. */
    get cookieName(): string | undefined {
      const signing = current();
      return signing === undefined ? undefined : cookieNameOf(signing);
    },
    /** Opens a session. A browser goes on with the one that it has: gateways of one home share the cookie, and pages keep its proof. */
    open(cookieHeader: string | undefined) {
      const signing = withKey(secret.made, key);
      const nowMs = clock.now();
      // Its end stays: others on this host can set cookies, and could have the owner's browser lengthen their session for ever.
      const earlier = cookiesIn(cookieHeader, cookieNameOf(signing))
        .map((each) => sessionIn(each, signing))
        .find((session) => session !== undefined && session.expiresMs - nowMs > SESSION_MS / 2);
      const newest = { id: randomBytes(ID_BYTES).toString("base64url"), expiresMs: nowMs + SESSION_MS };
      const { id, expiresMs } = earlier ?? newest;
      const cookie = `${id}.${expiresMs}.${cookieMac(signing, id, String(expiresMs))}`;
      return { cookieName: cookieNameOf(signing), cookie, proof: proofOf(signing, id) };
    },
    /** Whether one of the cookies is of a session that is open, and the proof is of the same session. */
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

/** All cookies of this name. There may be several: other programs on this host can set cookies for us, under longer paths too. */
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

/** The time that it takes says nothing about where two texts differ. */
function isSame(shown: string, wanted: string): boolean {
  return timingSafeEqual(hash("sha256", shown, "buffer"), hash("sha256", wanted, "buffer"));
}

export type PageDoor = ReturnType<typeof openPageDoor>;

/** Nothing is read or written before somebody wants to get in. */
export function openPageDoor({ key, ...deps }: SecretDeps & Pick<SessionDeps, "key" | "clock">) {
  const secret = new PageSecret(deps);
  const { clock } = deps;
  return {
    links: createPageLinks({ clock, generation: () => secret.made }),
    sessions: createPageSessions({ clock, secret, key }),
  };
}

/** Under this name the ledger, limits and lists have what the playground asks for. */
export const PLAYGROUND = "playground";

/** The caller of the playground. Its id is that of no key, so it shares no conversation with a client. */
export const playground: Caller = { id: PLAYGROUND, name: PLAYGROUND, limits: {} };
