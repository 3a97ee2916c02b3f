import type { Tokens } from "../auth/tokens.js";
import type { World } from "../server/world.js";
import type { Answer, Route } from "./route.js";

/** Plan and request counters: for the desktop client by token, for the website by cookie. */
export function accountRoutes(world: World, tokens: Tokens): Route[] {
  const withToken =
    (json: unknown): Route["answer"] =>
    ({ authorization }): Answer =>
      world.checkToken(authorization).isValid
        ? { status: 200, json }
        : { status: 401, json: { error: "not_authenticated" } };

  const withCookie =
    (json: unknown): Route["answer"] =>
    ({ cookie }): Answer => {
      const token = sessionOf(cookie);
      const isSession = tokens.check(`Bearer ${token}`).isValid && tokens.read(token)?.type === "session";
      return isSession ? { status: 200, json } : { status: 401, json: { error: "not_authenticated" } };
    };

  return [
    { method: "GET", path: "/auth/full_stripe_profile", answer: withToken(profile) },
    { method: "GET", path: "/auth/stripe_profile", answer: withToken(profile.membershipType) },
    { method: "GET", path: "/auth/usage", answer: withToken(requestCounters) },
    { method: "GET", path: "/api/usage", answer: withCookie(requestCounters) },
    { method: "GET", path: "/api/usage-summary", answer: withCookie(usageSummary) },
  ];
}

/** The website's cookie holds the user's id and the token, separated by two colons (docs/protocol/wire.md, sign-in). */
function sessionOf(cookie: string | undefined): string {
  const value = /(?:^|;\s*)WorkosCursorSessionToken=([^;]*)/.exec(cookie ?? "")?.[1] ?? "";
  return value.replaceAll("%3A", ":").split("::")[1] ?? "";
}

const profile = {
  membershipType: "pro",
  individualMembershipType: "pro",
  subscriptionStatus: "active",
  paymentId: "cus_sim",
  daysRemainingOnTrial: 0,
  isTeamMember: false,
  isOnBillableAuto: true,
  trialEligible: false,
  verifiedStudent: false,
  lastPaymentFailed: false,
  pendingCancellationDate: null,
};

const requestCounters = {
  "gpt-4": { numRequests: 12, numRequestsTotal: 12, numTokens: 0, maxRequestUsage: 500 },
  startOfMonth: "2026-11-01T00:00:00.000Z",
};

const usageSummary = {
  billingCycleStart: "2026-11-01T00:00:00.000Z",
  billingCycleEnd: "2026-12-01T00:00:00.000Z",
  membershipType: "pro",
  limitType: "user",
  isUnlimited: false,
  individualUsage: {
    plan: {
      enabled: true,
      used: 1_240,
      limit: 2_000,
      remaining: 760,
      breakdown: { included: 1_240, bonus: 0, total: 1_240 },
      autoPercentUsed: 18.5,
      apiPercentUsed: 43.5,
      totalPercentUsed: 31,
    },
    onDemand: { enabled: false, used: 0, limit: null, remaining: null },
  },
  teamUsage: { onDemand: null },
};
