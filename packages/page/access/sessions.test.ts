import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import { createPageSessions } from "./sessions.js";

const DAY_MS = 24 * 60 * 60_000;

interface Given {
  readonly secret?: string;
  readonly key?: string;
  readonly clock?: ManualClock;
}

function setUp({ secret = "a secret", key, clock = new ManualClock() }: Given = {}) {
  return { clock, sessions: createPageSessions({ clock, key, secret: { current: secret, made: secret } }) };
}

const headerOf = ({ cookieName, cookie }: ReturnType<ReturnType<typeof createPageSessions>["open"]>) =>
  `${cookieName}=${cookie}`;

describe("a session", () => {
  it("is open with its cookie and its proof, in any gateway with the same secret", () => {
    const { sessions, clock } = setUp();
    const opened = sessions.open(undefined);
    const header = `theme=dark; ${headerOf(opened)}; other=1`;
    expect(sessions.isOpen(header, opened.proof)).toBe(true);
    expect(setUp({ clock }).sessions.isOpen(header, opened.proof)).toBe(true);
  });

  it("is not open with only one of them, or with those of different sessions", () => {
    const { sessions } = setUp();
    const [one, other] = [sessions.open(undefined), sessions.open(undefined)];
    expect(sessions.isOpen(headerOf(one), "")).toBe(false);
    expect(sessions.isOpen(undefined, one.proof)).toBe(false);
    expect(sessions.isOpen(headerOf(one), other.proof)).toBe(false);
    expect(sessions.isOpen(`${other.cookieName}=${one.proof}`, one.proof)).toBe(false);
    expect(sessions.isOpen(`other_${headerOf(one)}`, one.proof)).toBe(false);
  });

  it("cannot be extended or forged", () => {
    const { sessions } = setUp();
    const opened = sessions.open(undefined);
    const [id, expiresMs, mac] = opened.cookie.split(".");
    const forged = [
      `${id}.${Number(expiresMs) + 1}.${mac}`,
      `${id}.${expiresMs}.${mac?.slice(1)}A`,
      `${id}.${expiresMs}.`,
      `${id}.${expiresMs}`,
      `${id}.99999999999999.${opened.proof}`,
      "",
      "...",
      "x".repeat(10_000),
    ];
    for (const cookie of forged) {
      expect(sessions.isOpen(headerOf({ ...opened, cookie }), opened.proof), cookie).toBe(false);
    }
  });

  it("ends after 30 days", () => {
    const { sessions, clock } = setUp();
    const opened = sessions.open(undefined);
    clock.advance(30 * DAY_MS - 1);
    expect(sessions.isOpen(headerOf(opened), opened.proof)).toBe(true);
    clock.advance(1);
    expect(sessions.isOpen(headerOf(opened), opened.proof)).toBe(false);
  });

  it("ends when the secret changes, and with it the name of the cookie", () => {
    const { sessions } = setUp();
    const opened = sessions.open(undefined);
    const other = setUp({ secret: "another" }).sessions;
    expect(other.cookieName).not.toBe(opened.cookieName);
    expect(other.isOpen(headerOf(opened), opened.proof)).toBe(false);
    expect(other.isOpen(`${other.cookieName}=${opened.cookie}`, opened.proof)).toBe(false);
  });

  it("ends when the gateway's own key changes or is removed", () => {
    const { sessions, clock } = setUp({ key: "a key" });
    const opened = sessions.open(undefined);
    expect(sessions.isOpen(headerOf(opened), opened.proof)).toBe(true);
    for (const given of [{ key: "another" }, {}]) {
      const { sessions: later } = setUp({ ...given, clock });
      expect(later.cookieName).not.toBe(opened.cookieName);
      expect(later.isOpen(`${later.cookieName}=${opened.cookie}`, opened.proof)).toBe(false);
    }
  });

  it("continues when the same browser opens the page of another gateway", () => {
    const { sessions, clock } = setUp();
    const first = sessions.open(undefined);
    clock.advance(DAY_MS);
    const second = sessions.open(headerOf(first));
    // A browser has one cookie of this name, but each page its own proof.
    expect(sessions.isOpen(headerOf(second), first.proof)).toBe(true);
    expect(sessions.isOpen(headerOf(second), second.proof)).toBe(true);
    const third = sessions.open(`${first.cookieName}=${"A".repeat(22)}.${clock.now() + DAY_MS}.${"A".repeat(43)}`);
    expect(third.proof).not.toBe(first.proof);
    expect(third.cookie).not.toContain("A".repeat(22));
  });

  it("is never extended, however often it is continued", () => {
    const { sessions, clock } = setUp();
    const first = sessions.open(undefined);
    let cookie = headerOf(first);
    for (let day = 1; day <= 30; day++) {
      clock.advance(DAY_MS);
      const again = sessions.open(cookie);
      expect(again.proof === first.proof, `day ${day}`).toBe(day < 15);
      cookie = headerOf(again);
    }
    expect(sessions.isOpen(cookie, first.proof)).toBe(false);
    expect(sessions.isOpen(headerOf(first), first.proof)).toBe(false);
  });

  it("is found among foreign cookies of the same name", () => {
    const { sessions } = setUp();
    const opened = sessions.open(undefined);
    const header = `${opened.cookieName}=nonsense; ${headerOf(opened)}; ${opened.cookieName}`;
    expect(sessions.isOpen(header, opened.proof)).toBe(true);
  });

  it("cannot exist without a secret", () => {
    const clock = new ManualClock();
    const sessions = createPageSessions({ clock, key: undefined, secret: { current: undefined, made: "made" } });
    expect(sessions.cookieName).toBeUndefined();
    const opened = sessions.open(undefined);
    expect(sessions.isOpen(headerOf(opened), opened.proof)).toBe(false);
  });
});
