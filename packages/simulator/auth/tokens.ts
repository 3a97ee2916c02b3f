import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { TokenCheck } from "../server/world.js";

export type TokenType = "session" | "api_key_token";

export interface Claims {
  sub: string;
  type: TokenType;
  exp: number;
}

export interface Tokens {
  issue(type: TokenType, ttlSeconds: number, account?: Account): string;
  /** The claims of a token that we issued, expired or not. */
  read(token: string): Claims | undefined;
  check(authorization: string | undefined): TokenCheck;
}

/** A flagged account gets tokens that no call accepts. */
export type Account = "owner" | "flagged";

const subjects: Record<Account, string> = {
  owner: "auth0|user_01SIMALPHA0000000000000000",
  flagged: "auth0|user_01SIMFLAGGED00000000000000",
};

// The same in every run, so that a token survives a restart of the simulator.
const SIGNING_SECRET = "the simulator has no secrets";

export const ownerSubject = subjects.owner;

export function createTokens(now: () => number): Tokens {
  const read = (token: string): Claims | undefined => {
    const [header, payload, signature, ...rest] = token.split(".");
    if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) return undefined;
    const expected = Buffer.from(sign(`${header}.${payload}`));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return JSON.parse(Buffer.from(payload, "base64url").toString()); // the signature shows that it is ours
  };

  return {
    read,
    issue(type, ttlSeconds, account = "owner") {
      const seconds = Math.floor(now() / 1_000);
      const claims = {
        sub: subjects[account],
        time: String(seconds),
        randomness: `${randomBytes(4).toString("hex")}-${randomBytes(2).toString("hex")}-${randomBytes(2).toString("hex")}`,
        exp: seconds + ttlSeconds,
        iss: "https://authentication.cursor.sh",
        scope: "openid profile email offline_access",
        aud: "https://cursor.com",
        type,
      };
      const unsigned = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
      return `${unsigned}.${sign(unsigned)}`;
    },
    check(authorization) {
      const token = bearer(authorization);
      if (token === undefined) return { isValid: false, reason: "missing" };
      const claims = read(token);
      if (claims === undefined) return { isValid: false, reason: "unknown" };
      if (claims.exp * 1_000 <= now()) return { isValid: false, reason: "expired" };
      if (claims.sub === subjects.flagged) return { isValid: false, reason: "revoked" };
      return { isValid: true };
    },
  };
}

/** The credential after the word Bearer, in any case. */
export function bearer(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function sign(text: string): string {
  return createHmac("sha256", SIGNING_SECRET).update(text).digest("base64url");
}
