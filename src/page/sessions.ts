import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock.js";
import type { PageSecret } from "./page-secret.js";

export const SESSION_SECONDS = 30 * 24 * 60 * 60;
const ID_BYTES = 16;
const COOKIE = /^([\w-]{22})\.(\d{13,15})\.([\w-]{43})$/;

interface SessionDeps {
  readonly secret: Pick<PageSecret, "current" | "made">;
  readonly clock: Pick<Clock, "now">;
}

/** What a browser gets when the page opens. It has to show both. */
export interface OpenedSession {
  readonly cookieName: string;
  readonly cookie: string;
  readonly proof: string;
}

/**
 * Who may see the page. Nothing is kept of a session: its cookie and its proof are signed, and say themselves until when they are good.
 */
export class PageSessions {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** The name of the cookie, which no gateway of another home has; undefined as long as there was no session. */
  get cookieName(): string | undefined {
    const secret = this.#deps.secret.current;
    return secret === undefined ? undefined : cookieNameOf(secret);
  }

  /**
   * Opens a session. A browser that has one goes on with it: gateways of one home have the same cookie, and the proof that the page of
   * another gateway keeps must stay good.
   */
  open(cookieHeader: string | undefined): OpenedSession {
    const secret = this.#deps.secret.made;
    const earlier = cookiesIn(cookieHeader, cookieNameOf(secret))
      .map((cookie) => this.#idIn(cookie, secret))
      .find((id) => id !== undefined);
    const id = earlier ?? randomBytes(ID_BYTES).toString("base64url");
    const expiresMs = this.#deps.clock.now() + SESSION_SECONDS * 1000;
    const cookie = `${id}.${expiresMs}.${cookieMac(secret, id, String(expiresMs))}`;
    return { cookieName: cookieNameOf(secret), cookie, proof: proofOf(secret, id) };
  }

  /** Whether one of the cookies is of a session that is open, and the proof is of the same session. */
  isOpen(cookieHeader: string | undefined, proof: string): boolean {
    const secret = this.#deps.secret.current;
    if (secret === undefined) return false;
    return cookiesIn(cookieHeader, cookieNameOf(secret)).some((cookie) => {
      const id = this.#idIn(cookie, secret);
      return id !== undefined && isSame(proof, proofOf(secret, id));
    });
  }

  /** The id of the session whose cookie this is; undefined if we have not signed it, or the session is over. */
  #idIn(cookie: string, secret: string): string | undefined {
    const [, id = "", expiresMs = "", mac = ""] = COOKIE.exec(cookie) ?? [];
    if (!isSame(mac, cookieMac(secret, id, expiresMs))) return undefined;
    return this.#deps.clock.now() < Number(expiresMs) ? id : undefined;
  }
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

function sign(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}

/** The time that it takes says nothing about where two texts differ. */
function isSame(shown: string, wanted: string): boolean {
  return timingSafeEqual(hash("sha256", shown, "buffer"), hash("sha256", wanted, "buffer"));
}
