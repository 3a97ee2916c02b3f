import type { World } from "../world.js";
import type { Answer, Route } from "./route.js";

/** Plan and request counters, as the desktop client asks for them. */
export function accountRoutes(world: World): Route[] {
  const withToken =
    (json: unknown): Route["answer"] =>
    ({ authorization }): Answer =>
      world.checkToken(authorization).isValid
        ? { status: 200, json }
        : { status: 401, json: { error: "not_authenticated" } };

  return [
    { method: "GET", path: "/auth/full_stripe_profile", answer: withToken(profile) },
    { method: "GET", path: "/auth/stripe_profile", answer: withToken(profile.membershipType) },
    { method: "GET", path: "/auth/usage", answer: withToken(requestCounters) },
  ];
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
