import { describe, expect, it } from "vitest";
import { createTokens } from "./tokens.js";

const START_MS = 1_786_000_000_000;

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

describe("a token", () => {
  it("has the claims that Cursor's have", () => {
    const token = createTokens(() => START_MS).issue("session", 60);
    expect(claimsOf(token)).toEqual({
      sub: expect.stringMatching(/^auth0\|user_\w{26}$/),
      time: "1786000000",
      randomness: expect.stringMatching(/^[0-9a-f]+(-[0-9a-f]+)+$/),
      exp: 1_786_000_060,
      iss: "https://authentication.cursor.sh",
      scope: "openid profile email offline_access",
      aud: "https://cursor.com",
      type: "session",
    });
    const [header, , signature] = token.split(".").map((part) => Buffer.from(part, "base64url"));
    expect(JSON.parse(String(header))).toEqual({ alg: "HS256", typ: "JWT" });
    expect(signature).toHaveLength(32);
  });

  it("is valid until its exp, also for another instance", () => {
    let nowMs = START_MS;
    const token = createTokens(() => START_MS).issue("api_key_token", 60);
    const tokens = createTokens(() => nowMs);
    expect(tokens.check(`Bearer ${token}`)).toEqual({ isValid: true });
    nowMs += 59_999;
    expect(tokens.check(`bearer ${token}`)).toEqual({ isValid: true });
    nowMs += 1;
    expect(tokens.check(`Bearer ${token}`)).toEqual({ isValid: false, reason: "expired" });
  });

  it("of a flagged account is revoked", () => {
    const tokens = createTokens(() => START_MS);
    const token = tokens.issue("session", 60, "flagged");
    expect(tokens.check(`Bearer ${token}`)).toEqual({ isValid: false, reason: "revoked" });
  });

  it.each([
    [undefined, "missing"],
    ["", "missing"],
    ["Basic abc", "missing"],
    ["Bearer crsr_key", "unknown"],
    ["Bearer eyJ.e30.c2ln", "unknown"],
    ["Bearer a.b", "unknown"],
  ])("is not %s", (authorization, reason) => {
    expect(createTokens(() => START_MS).check(authorization)).toEqual({ isValid: false, reason });
  });

  it("with a changed claim is unknown", () => {
    const tokens = createTokens(() => START_MS);
    const [header, payload, signature] = tokens.issue("session", 60).split(".");
    const later = Buffer.from(JSON.stringify({ ...claimsOf(`.${payload}.`), exp: 9e9 })).toString("base64url");
    expect(tokens.check(`Bearer ${header}.${later}.${signature}`)).toEqual({ isValid: false, reason: "unknown" });
  });
});
