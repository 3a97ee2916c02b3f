import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CursorPlan,
  onDemandText,
  percentText,
  readPlan,
  spentText,
} from "@curlew/gateway/backends/cursor/plan.js";
import { commandCalls } from "@curlew/gateway/backends/cursor/signed-calls.js";
import type { Recorder } from "@curlew/gateway/backends/recorder.js";
import { settlesWithin, systemClock } from "@curlew/gateway/system/clock.js";
import { type ErrorKind, GatewayError } from "@curlew/gateway/turn/error.js";
import type { ComposedGateway } from "../../../app/compose.js";
import { withGateway } from "../../../app/with-gateway.js";
import { placesIn } from "../../../config/places.js";
import type { Settings } from "../../../config/settings.js";
import type { CommandMachine, Output } from "../../../terminal/command-machine.js";
import { CommandFailure } from "../../../terminal/print.js";
import { askConsent } from "../../../terminal/prompts.js";
import { reasonOf } from "../finding.js";
import { createLab, type LabLimits, notShown, otherwise, type Probe, type ProbeBench, type Verdict } from "./lab.js";
import { type ProbePlan, planProbes } from "./plan-probes.js";
import type { WireWatch } from "./wire-watch.js";

/** Time limit of one verdict, and the limit with `--long`. */
const PROBE_MS = 20_000;
export const LONG_PROBE_MS = 120_000;
/** Runs beyond one per turn, because a gateway retries some failures. */
const SPARE_RUNS = 12;

/** After so many equal failures in a row, further turns would only cost more. */
const MAX_ALIKE = 3;
const theOthers = [{ name: "others", claim: "Further turns" }];

/** After one of these errors, every further turn would fail too. */
const hopeless: ReadonlySet<ErrorKind> = new Set(["authentication", "permission", "quota"]);
/** Hopeless only in the first probe; later, they concern a single turn. */
const hopelessAtFirst: ReadonlySet<ErrorKind> = new Set(["rate-limit", "not-found"]);

export interface ProbeDeps {
  readonly composed: ComposedGateway;
  readonly settings: Settings;
  /** Of the logs of further gateways. */
  readonly stderr: Output;
  readonly model: string;
  readonly watch: WireWatch;
  readonly limitMs?: number | undefined;
  /** The plan the user agreed to; planned here if missing. */
  readonly plan?: ProbePlan;
}

export interface ProbeResult extends Verdict {
  readonly name: string;
  readonly claim: string;
}

export type ProbeCosts = Awaited<ReturnType<typeof runProbes>>;

export async function runProbes(deps: ProbeDeps, onProbe: (result: ProbeResult) => void) {
  const { composed, settings, stderr, model, watch, limitMs = PROBE_MS } = deps;
  const plan = deps.plan ?? (await planProbes(composed.gateway, settings.profile, model));
  const others = otherSettings(composed, settings);
  let turns = 0;
  // Results that miss the run of their call need another run.
  const spend = (isNewTurn: boolean) => {
    const isSpent = (isNewTurn && turns >= plan.turns) || watch.runs.length >= maxRuns(plan);
    if (isSpent) throw new SpentUp(`The limit of ${maxRuns(plan)} runs is reached.`);
    if (isNewTurn) turns++;
  };
  const benchFor = (limits: LabLimits): ProbeBench => ({
    lab: createLab(composed, model, limits),
    composed,
    watch,
    withOther: (changes, use) =>
      withProbeGateway(
        { ...others.settings, ...changes },
        stderr,
        (other) => use(createLab(other, model, limits)),
        watch,
      ),
  });
  let why: string | undefined;
  let alike: readonly string[] = [];
  let isGivenUp = false;
  try {
    for (const probe of plan.probes) {
      if (isGivenUp && probe.turns > 0) continue;
      if (why !== undefined && probe.turns > 0) {
        skip(probe.claims, why, onProbe);
        continue;
      }
      const failure = await runProbe(probe, (signal) => benchFor({ signal, spend }), limitMs, onProbe);
      why ??= whyNoMore(failure, probe === plan.probes[0]);
      const words = failure === undefined ? [] : [failureText(failure)];
      alike = [...alike.filter((each) => words.includes(each)), ...words];
      if (alike.length < MAX_ALIKE) continue;
      isGivenUp = true;
      skip(theOthers, `Not tried, because ${MAX_ALIKE} in a row failed alike.`, onProbe);
    }
  } finally {
    others.remove();
  }
  return { turns, runs: watch.runs.length };
}

/** The most runs that a plan may take, including retries. */
function maxRuns({ turns }: ProbePlan): number {
  return turns + SPARE_RUNS;
}

class SpentUp extends Error {}

function whyNoMore(failure: unknown, isFirst: boolean): string | undefined {
  if (failure === undefined) return undefined;
  if (failure instanceof SpentUp) return reasonOf(failure);
  const { kind } = GatewayError.from(failure);
  const isHopeless = hopeless.has(kind) || (isFirst && hopelessAtFirst.has(kind));
  return isHopeless ? "Not tried, because an earlier turn was refused for good." : undefined;
}

async function runProbe(
  { claims, run }: Probe,
  benchFor: (signal: AbortSignal) => ProbeBench,
  limitMs: number,
  onProbe: (result: ProbeResult) => void,
): Promise<unknown> {
  const ending = new AbortController();
  const verdicts = run(benchFor(ending.signal));
  for (const [index, claim] of claims.entries()) {
    try {
      const pending = verdicts.next();
      const next = (await settlesWithin(limitMs, pending, systemClock)) ? await pending : undefined;
      if (next === undefined || next.done === true) {
        ending.abort();
        const late = otherwise(`It took longer than ${limitMs / 1_000} s. Try --long.`);
        onProbe({ ...claim, ...(next === undefined ? late : notShown("It could not be tried.")) });
        return skip(claims.slice(index + 1), "Not tried, because the previous probe did not finish.", onProbe);
      }
      onProbe({ ...claim, ...next.value });
    } catch (thrown) {
      const failed = otherwise(failureText(thrown));
      onProbe({ ...claim, ...(thrown instanceof SpentUp ? notShown(reasonOf(thrown)) : failed) });
      skip(claims.slice(index + 1), "Not tried, because the previous probe failed.", onProbe);
      return thrown;
    }
  }
  return undefined;
}

function failureText(thrown: unknown): string {
  const error = GatewayError.from(thrown);
  return `${error.code}: ${reasonOf(error)}`;
}

function skip(claims: Probe["claims"], why: string, onProbe: (result: ProbeResult) => void): undefined {
  for (const claim of claims) onProbe({ ...claim, ...notShown(why) });
}

/** The settings of further gateways. With a simulator, whose state is in memory, they get a temporary folder. */
function otherSettings({ backend, upstream }: ComposedGateway, settings: Settings) {
  if (backend !== "simulator") return { settings, remove() {} };
  const stateFolder = mkdtempSync(join(tmpdir(), "curlew-doctor-"));
  const apiKey = `crsr_simulated_${randomBytes(16).toString("hex")}`;
  const { backendUrl } = upstream;
  const simulated = { backend: "agent", backendUrl, agentUrl: undefined, apiKey, authToken: undefined } as const;
  const own = { routes: {}, fallback: [], stateFolder, home: stateFolder, places: placesIn(stateFolder) };
  return {
    settings: { ...settings, ...simulated, ...own },
    remove: () => rmSync(stateFolder, { recursive: true, force: true }),
  };
}

/** A gateway without the user's MCP servers: a model might call their tools, which do real things and have private names. */
export function withProbeGateway<Result>(
  settings: Settings,
  stderr: Output,
  use: (composed: ComposedGateway) => Promise<Result>,
  recorder?: Recorder,
): Promise<Result> {
  return withGateway({ ...settings, mcp: {} }, stderr, use, recorder);
}

/** Explains what the probes cost and asks for consent. @throws {CommandFailure} No terminal to ask on. */
export async function mayRunProbes(
  machine: CommandMachine,
  backend: string,
  plan: ProbePlan,
  isGranted: boolean,
): Promise<boolean> {
  if (backend === "simulator") return true; // it costs nothing
  machine.stderr.write(
    `The probes take at most ${plan.turns} turns of the models ${plan.models.join(", ")} through your Cursor account, each with a ` +
      "prompt of a few words and a short answer. They count against your plan like any other turn. Including " +
      `retries, no further turn begins after ${maxRuns(plan)} runs.\n`,
  );
  if (isGranted) return true;
  if (!machine.stdin.isTTY) throw new CommandFailure(2, "No terminal to confirm on. Run: curlew doctor --live --yes");
  return askConsent(machine, "Run them?");
}

/** Plan usage; null if it cannot be read. */
export function readSpend({ tokens, upstream, network }: ComposedGateway): Promise<CursorPlan | null> {
  return readPlan(commandCalls({ tokens, network, ...upstream })).catch(() => null);
}

/** `12.5% of the plan, Cursor Models 10%, Other Models 15%, $4.10 of $20.00, on demand $0.00` */
export function describeSpend(plan: CursorPlan | null): string {
  if (plan === null) return "not reported by Cursor";
  const { percentUsed, autoPercentUsed, apiPercentUsed } = plan;
  const paid = onDemandText(plan);
  const parts = [
    percentUsed === null ? null : `${percentText(percentUsed)} of the plan`,
    autoPercentUsed === null ? null : `Cursor Models ${percentText(autoPercentUsed)}`,
    apiPercentUsed === null ? null : `Other Models ${percentText(apiPercentUsed)}`,
    spentText(plan),
    paid === null ? null : `on demand ${paid}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? "not reported by Cursor" : parts.join(", ");
}
