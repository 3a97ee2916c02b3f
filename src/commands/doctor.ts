import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { ComposedGateway } from "../app/compose.js";
import { StartError } from "../app/prepare/start-error.js";
import { backendsIn } from "../backends/choose/index.js";
import type { Recorder } from "../backends/recorder.js";
import { goesWithoutCredential } from "../backends/registry.js";
import type { Difference } from "../capture/index.js";
import { loadAndWarn, settingArgs, settingsFrom, upstreamSettings } from "../config/flags.js";
import { type LoadedSettings, loadSettings, type SettingsSources } from "../config/load.js";
import { innerSettings, type Settings } from "../config/settings.js";
import { SettingsError } from "../config/settings-error.js";
import type { CursorPlan } from "../plan/index.js";
import { shownOn } from "../shown-on.js";
import { version } from "../version.js";
import { checkWritable, writeCapture } from "./capture/write-capture.js";
import { checkAccount, checkModels } from "./doctor/check-account.js";
import { checkBackends } from "./doctor/check-backends.js";
import { checkNode, checkPort, checkSettings } from "./doctor/check-machine.js";
import { checkProfile, updateProfile } from "./doctor/check-profile.js";
import { checkStore } from "./doctor/check-store.js";
import { describeFinding, describeProbe, FINDING_INDENT, PROBE_INDENT, summary } from "./doctor/describe.js";
import { describeDifference, diffWithSimulator, type Sides } from "./doctor/diff.js";
import { type Finding, fail, reasonOf } from "./doctor/finding.js";
import { ProbeCapture } from "./doctor/live/captured-probes.js";
import { mayRunProbes } from "./doctor/live/consent.js";
import { planProbes } from "./doctor/live/plan-probes.js";
import { withProbeGateway } from "./doctor/live/probe-gateway.js";
import { LONG_PROBE_MS, type ProbeCosts, type ProbeResult, runProbes } from "./doctor/live/run-probes.js";
import { describeSpend, readSpend } from "./doctor/live/spend.js";
import { WireWatch } from "./doctor/live/wire-watch.js";
import { writeReport } from "./doctor/report.js";
import { colorsFor } from "./line/colors.js";
import { CommandFailure } from "./line/command-failure.js";
import { defineCommand } from "./line/definition.js";
import { explain } from "./line/explain.js";
import { folded } from "./line/folded.js";
import { findNextStep } from "./setup/next-step.js";
import { startSpinner, whileSpinning } from "./terminal/spinner.js";

const doctorSettings = [...upstreamSettings, "host", "port", "stateFolder"] as const;

export const doctor = defineCommand({
  examples: [
    ["curlew doctor", "check this machine and the account"],
    ["curlew doctor --live", "also try every capability with a few turns"],
    ["curlew doctor --report report.json", "write a file for a bug report"],
  ],
  args: {
    live: { type: "boolean", description: "Also try every capability with a few turns; asks first" },
    yes: { type: "boolean", description: "Do not ask before the turns of --live" },
    long: { type: "boolean", description: "With --live: wait two minutes for a probe, not 20 s" },
    model: { type: "string", default: "auto", description: "Model for the turns of --live", valueHint: "id" },
    report: {
      type: "string",
      description: "Write a file for a bug report; --live always writes one",
      valueHint: "file",
    },
    capture: {
      type: "string",
      description: "With --live: write every message that went to and from Cursor, without anything private",
      valueHint: "file",
    },
    diff: {
      type: "string",
      description: "Compare a --capture file with the built-in simulator",
      valueHint: "file",
    },
    official: {
      type: "boolean",
      description: "Compare what Cursor's installed SDK sends with what Curlew sends, both to the built-in simulator",
    },
    "update-profile": {
      type: "boolean",
      description: "First copy the versions of your Cursor CLI and SDK into cursor.json beside curlew.json",
    },
    json: { type: "boolean", description: "Print JSON" },
    ...settingArgs(doctorSettings),
  },
  /** The exit code is 0 if nothing failed; warnings do not count. */
  async run({ args }) {
    const { model, json: isJson = false } = args;
    const comparison = comparisonOf(args, model);
    if (comparison !== undefined) return printDiff(comparison, loadAndWarn(settingsFrom(args, doctorSettings)), isJson);
    if (args.capture !== undefined && args.live !== true)
      throw new CommandFailure(2, "--capture records the turns of --live. Run: curlew doctor --live --capture FILE");
    if (args.capture !== undefined) checkWritable(args.capture);
    const capture = args.capture === undefined ? undefined : new ProbeCapture();
    const colors = colorsFor(process.stdout);
    const findings: Finding[] = [];
    let probes: ProbeResult[] | null = null;
    let spend: (ProbeCosts & Record<"before" | "after", CursorPlan | null>) | null = null;
    const watch = new WireWatch(() => performance.now(), capture?.recorder);
    let clientVersion: string | null = null;
    const print = (text: string) => {
      if (!isJson) process.stdout.write(text);
    };
    const found = (finding: Finding) => {
      findings.push(finding);
      print(folded(process.stdout, describeFinding(shownOn(process.stdout, finding), colors), FINDING_INDENT));
    };
    const examine = async (composed: ComposedGateway, loaded: LoadedSettings) => {
      ({ clientVersion } = composed.upstream);
      const checks = checkAll(composed, loaded);
      for await (const finding of whileSpinning(checks, "asking Cursor")) found(finding);
      if (!args.live) return;
      print("\n");
      const isSick = findings.some(({ status }) => status === "fail");
      if (isSick) return print("The turns of --live are not run until that is fixed.\n");
      const settings = quietly(loaded);
      const plan = await planProbes(composed, settings, model);
      const before = await readSpend(composed);
      print(`Used before: ${describeSpend(before)}\n\n`);
      if (!(await mayRunProbes(composed, plan, args.yes === true))) return;
      const seen: ProbeResult[] = [];
      probes = seen;
      const spin = () => startSpinner("trying it out", process.stderr);
      let stop = spin();
      const onProbe = (result: ProbeResult) => {
        seen.push(result);
        stop();
        print(folded(process.stdout, describeProbe(shownOn(process.stdout, result), colors), PROBE_INDENT));
        stop = spin();
      };
      const probeDeps = {
        composed,
        settings,
        model,
        watch,
        plan,
        ...(args.long === true && { limitMs: LONG_PROBE_MS }),
      };
      const costs = await runProbes(probeDeps, onProbe).finally(() => stop());
      spend = { ...costs, before, after: await readSpend(composed) };
      print(`\nUsed after: ${describeSpend(spend.after)}; ${costs.turns} turns in ${costs.runs} runs\n`);
    };
    const isUpdating = args["update-profile"] === true;
    const loaded = await checkMachine(settingsFrom(args, doctorSettings), { found, isUpdating });
    if (loaded !== undefined) await checkChosenBackend(loaded, found, examine, args.live === true ? watch : undefined);

    const all = [...findings, ...(probes ?? [])];
    const file = reportFile(args.report, args.live === true, loaded);
    if (file !== undefined) {
      const secrets = [loaded?.settings.apiKey, loaded?.settings.authToken, loaded?.settings.key];
      writeReport({ clientVersion, model, findings, probes }, { file, secrets, homeDirectory: homedir() });
    }
    const captured = probes === null || args.capture === undefined ? undefined : resolve(args.capture);
    print(`\n${summary(all)}${file === undefined ? "" : `The report is in ${file}\n`}`);
    const isWell = !all.some(({ status }) => status === "fail");
    // What failed says itself which command comes next.
    if (isWell && loaded !== undefined && !isJson)
      print(`${await findNextStep(loaded.settings, { isSignedIn: true })}\n`);
    // The turns are spent, so their results are printed whatever becomes of the capture.
    let unwritten: unknown;
    try {
      if (capture !== undefined && captured !== undefined)
        await writeCapture(captured, capture.finish(), { settings: loaded?.settings, confirm: async () => true });
    } catch (thrown) {
      unwritten = thrown;
    }
    const written = unwritten === undefined ? (captured ?? null) : null;
    const report = { version, findings, ...toJson(probes), spend, report: file ?? null, capture: written };
    if (isJson) process.stdout.write(`${JSON.stringify(shownOn(process.stdout, report), null, 2)}\n`);
    if (unwritten !== undefined) return explain(unwritten); // thrown, it would be a second JSON value
    if (written !== null) print(`The capture is in ${written}\n`);
    return isWell ? 0 : 1;
  },
});

/** Checks what needs no answer from Cursor. Returns undefined when the settings cannot be used, so that nothing else can be checked. */
async function checkMachine(
  sources: SettingsSources,
  { found, isUpdating }: { found: (finding: Finding) => void; isUpdating: boolean },
): Promise<LoadedSettings | undefined> {
  found(checkNode(process.version));
  let loaded: LoadedSettings;
  try {
    loaded = loadAndWarn(sources);
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown;
    found(fail("settings", reasonOf(thrown), "curlew config check"));
    return undefined;
  }
  found(checkSettings(loaded, process.platform));
  if (isUpdating) {
    found(await updateProfile(loaded, Date.now()));
    loaded = loadSettings(sources);
  }
  found(checkProfile(loaded, Date.now(), process.platform));
  found(await checkStore(innerSettings(loaded.settings), process.platform));
  found(await checkPort(loaded.settings, version));
  return loaded;
}

/** The account is checked only if a backend needs it: some have logins of their own. */
async function* checkAll({ backend, ...composed }: ComposedGateway, loaded: LoadedSettings): AsyncGenerator<Finding> {
  const { routes, fallback } = loaded.settings;
  if (backend === "simulator") return yield* checkAccount(composed, loaded);
  const names = backendsIn({ usual: backend, routes, fallback });
  yield* checkBackends(names, loaded.settings);
  if (names.some((name) => !goesWithoutCredential(name))) yield* checkAccount(composed, loaded);
  else yield await checkModels(composed.gateway);
}

async function checkChosenBackend(
  loaded: LoadedSettings,
  found: (finding: Finding) => void,
  examine: (composed: ComposedGateway, loaded: LoadedSettings) => Promise<void>,
  recorder: Recorder | undefined,
): Promise<void> {
  let isOpen = false;
  try {
    await withProbeGateway(
      quietly(loaded),
      (composed) => {
        isOpen = true;
        return examine(composed, loaded);
      },
      recorder,
    );
  } catch (thrown) {
    if (isOpen || !(thrown instanceof StartError)) throw thrown;
    const isUnknown = thrown.code === "credential_missing";
    found(
      isUnknown ? fail("token", reasonOf(thrown), "curlew login") : fail("settings", reasonOf(thrown), "curlew --help"),
    );
  }
}

/** The findings say what the log would say, so the log is silent unless a level was set. */
function quietly({ settings, origins }: LoadedSettings): Settings {
  return origins.logLevel === undefined ? { ...settings, logLevel: "silent" } : settings;
}

function reportFile(
  asked: string | undefined,
  isLive: boolean,
  loaded: LoadedSettings | undefined,
): string | undefined {
  if (asked !== undefined) return resolve(asked);
  if (!isLive || loaded?.settings.stateFolder === undefined) return undefined;
  return join(loaded.settings.stateFolder, "doctor-report.json");
}

/** Two sides, and how they are compared. */
interface Comparison {
  readonly sides: Sides;
  /** Whether a difference is a failure: the SDK and Curlew need not send the same. */
  readonly mustBeSame: boolean;
  diff(loaded: LoadedSettings): Promise<Difference[]>;
}

function comparisonOf(
  { diff: file, official }: { readonly diff?: string | undefined; readonly official?: boolean | undefined },
  model: string,
): Comparison | undefined {
  if (file !== undefined) {
    const sides = { one: "the capture", other: "the simulator" };
    return { sides, mustBeSame: true, diff: (loaded) => diffWithSimulator(file, loaded, model) };
  }
  if (official !== true) return undefined;
  const sides = { one: "Cursor's SDK", other: "Curlew" };
  const diff = async ({ settings }: LoadedSettings) =>
    (await import("./doctor/official.js")).diffWithOfficial(settings, model);
  return { sides, mustBeSame: false, diff };
}

async function printDiff(
  { sides, mustBeSame, diff }: Comparison,
  loaded: LoadedSettings,
  isJson: boolean,
): Promise<number> {
  const differences = shownOn(process.stdout, await diff(loaded));
  if (isJson) process.stdout.write(`${JSON.stringify({ version, ...sides, differences }, null, 2)}\n`);
  else for (const difference of differences) process.stdout.write(describeDifference(difference, sides));
  if (!isJson && differences.length === 0)
    process.stdout.write(`The fields of ${sides.one} and of ${sides.other} are the same.\n`);
  return mustBeSame && differences.length > 0 ? 1 : 0;
}

/** Earlier versions called the probes `facts`, each with a `fact`; scripts may still read them under those names. */
function toJson(probes: readonly ProbeResult[] | null) {
  return { probes, facts: probes?.map(({ claim, ...rest }) => ({ ...rest, fact: claim })) ?? null };
}
