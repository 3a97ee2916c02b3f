import { beforeEach, describe, expect, it } from "vitest";
import { GatewayError } from "../../../turn/error.js";
import { Retries } from "./retries.js";

const broken = new GatewayError("upstream_error", "Broken off.", { isRetryable: true });
const refused = new GatewayError("bad_request", "Refused.");
const loggedOut = new GatewayError("cursor_login_required", "Log in.");
const blocked = new GatewayError("upstream_unreachable", "No HTTP/2 here.", { isRetryable: true });
const outdated = new GatewayError("client_outdated", "Update.");
/** A short limit may say the same. */
const perhapsOutdated = new GatewayError("client_outdated", "Update.", { isRetryable: true, maxRetries: 1 });
const busy = (retryAfterMs: number) => new GatewayError("overloaded", "Later.", { isRetryable: true, retryAfterMs });

const silent = { hasModelSpoken: false, canResume: false };
const spoken = { hasModelSpoken: true, canResume: false };
const staged = { hasModelSpoken: true, canResume: true };

let retries: Retries;
let hasGivenWay = 0;
beforeEach(() => {
  hasGivenWay = 0;
  retries = new Retries({
    maxRetries: 2,
    retryPauseMs: 1_000,
    goesAround: (error) => error === blocked,
    givesWay: ({ code }) => code === "client_outdated" && !hasGivenWay++,
    random: () => 0.5,
  });
});

describe("a turn without output", () => {
  it("is retried with exponential backoff, up to the limit", () => {
    expect(retries.after(broken, silent)).toEqual({ type: "later", attempt: 1, delayMs: 1_100 });
    expect(retries.after(broken, silent)).toEqual({ type: "later", attempt: 2, delayMs: 2_200 });
    expect(retries.after(broken, silent)).toMatchObject({ type: "none", error: { shouldClientRetry: false } });
  });

  it("is not retried when that cannot help, or more often than the error allows", () => {
    expect(retries.after(refused, silent)).toEqual({ type: "none", error: refused });
    const once = broken.with({ maxRetries: 0 });
    expect(retries.after(once, silent)).toEqual({ type: "none", error: once });
  });

  it("waits as long as Cursor asks, and leaves longer waits to the client", () => {
    expect(retries.after(busy(5_000), silent)).toMatchObject({ type: "later", delayMs: 5_000 });
    expect(retries.after(busy(10_001), silent)).toMatchObject({ type: "none" });
  });

  it("gets a new token once", () => {
    expect(retries.after(loggedOut, silent)).toEqual({ type: "renew-token" });
    expect(retries.after(loggedOut, silent)).toEqual({ type: "none", error: loggedOut });
  });

  it("is retried as another client at once, or after a back-off if that may help", () => {
    expect(retries.after(outdated, silent)).toEqual({ type: "at-once" });
    expect(retries.after(outdated, silent)).toEqual({ type: "none", error: outdated });
    hasGivenWay = 0;
    expect(retries.after(perhapsOutdated, silent)).toMatchObject({ type: "later" });
    expect(retries.after(perhapsOutdated, silent)).toEqual({ type: "at-once" });
    expect(retries.after(perhapsOutdated, silent)).toMatchObject({ type: "none" });
  });

  it("is retried over another transport at once, which does not count as an attempt", () => {
    expect(retries.after(blocked, silent)).toEqual({ type: "at-once" });
    expect(retries.after(broken, silent)).toMatchObject({ type: "later", attempt: 1 });
  });
});

describe("a turn with output", () => {
  it("is resumed from its checkpoint, once", () => {
    expect(retries.after(broken, staged)).toEqual({ type: "resume" });
    expect(retries.after(broken, staged)).toMatchObject({ type: "none", error: { shouldClientRetry: false } });
  });

  it("is never restarted", () => {
    expect(retries.after(broken, spoken)).toEqual({ type: "none", error: broken });
    expect(retries.after(loggedOut, spoken)).toEqual({ type: "none", error: loggedOut });
    expect(retries.after(blocked, spoken)).toEqual({ type: "none", error: blocked });
    expect(retries.after(refused, staged)).toEqual({ type: "none", error: refused });
  });
});
