import { expect, it } from "vitest";
import { loadSettings } from "./load.js";
import { innerSettings } from "./settings.js";

function load(env: Record<string, string>) {
  const { settings, warnings } = loadSettings({ env, home: "/nowhere" });
  const { leaseMs, maxRuns, retries } = innerSettings(settings);
  return { leaseMs, maxRuns, retries, warnings };
}

it("limits runs, retries and leases under careful conduct, and nothing under the usual one", () => {
  const warnings: string[] = [];
  expect(load({})).toEqual({ leaseMs: 900_000, maxRuns: Number.POSITIVE_INFINITY, retries: 3, warnings });
  const careful = { CURLEW_CONDUCT: "careful" };
  expect(load(careful)).toEqual({ leaseMs: 60_000, maxRuns: 2, retries: 0, warnings });
  expect(load({ ...careful, CURLEW_LEASE_MS: "5000" })).toMatchObject({ leaseMs: 5_000, warnings });
});

it("names a lease that it overrules", () => {
  const { leaseMs, warnings } = load({ CURLEW_CONDUCT: "careful", CURLEW_LEASE_MS: "60001" });
  expect(leaseMs).toBe(60_000);
  expect(warnings).toEqual([expect.stringMatching(/^CURLEW_LEASE_MS \(environment\) is longer than careful/)]);
  expect(load({ CURLEW_LEASE_MS: "60001" }).warnings).toEqual([]);
});
