import { join, resolve } from "node:path";
import { finishCapture, RawCapture } from "@curlew/gateway/backends/capture/index.js";
import { backendsIn } from "@curlew/gateway/backends/choose/index.js";
import type { CursorPlan } from "@curlew/gateway/backends/cursor/plan.js";
import type { Recorder } from "@curlew/gateway/backends/recorder.js";
import { goesWithoutCredential } from "@curlew/gateway/backends/registry.js";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import type { Told } from "@curlew/page/access/contract.js";
import type { ComposedGateway } from "../app/compose.js";
import { StartError } from "../app/prepare/start-error.js";
import { version } from "../app/version.js";
import { settingArgs, settingsFrom, upstreamSettings } from "../config/flags.js";
import type { LoadedSettings } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import type { Output } from "../terminal/command-machine.js";
import { CommandFailure, colorsFor, printJson } from "../terminal/print.js";
import { startSpinner, whileSpinning } from "../terminal/spinner.js";
import { folded } from "../terminal/table.js";
import { checkWritable, writeCapture } from "./capture/record.js";
import { checkAccount, checkBackends, checkModels } from "./doctor/check-account.js";
import { checkMachine } from "./doctor/check-machine.js";
import { type Finding, fail, reasonOf, warn } from "./doctor/finding.js";
import { type Answer, answersIn } from "./doctor/live/open-questions.js";
import { planProbes } from "./doctor/live/plan-probes.js";
import { probeTexts } from "./doctor/live/probe-texts.js";
import {
  describeSpend,
  LONG_PROBE_MS,
  mayRunProbes,
  type ProbeCosts,
  type ProbeResult,
  readSpend,
  runProbes,
  withProbeGateway,
} from "./doctor/live/run-probes.js";
import { WireWatch } from "./doctor/live/wire-watch.js";
import {
  ANSWER_INDENT,
  describeAnswers,
  describeFinding,
  describeProbe,
  FINDING_INDENT,
  PROBE_INDENT,
  summary,
  writeReport,
} from "./doctor/report.js";
import { defineCommand, flag, option } from "./line/definition.js";
import { explain } from "./line/explain.js";
import { findNextStep } from "./setup/client-location.js";
import { troubleText } from "./status.js";

export const doctor = defineCommand({
  examples: [
    ["curlew doctor", "check this machine and the account"],
    ["curlew doctor --live", "also try every capability with a few turns"],
    ["curlew doctor --report report.json", "write a file for a bug report"],
  ],
  args: {
    live: flag("Also try every capability with a few turns; asks first"),
    yes: flag("Do not ask before the turns of --live", { use: "rare" }),
    long: flag("With --live: wait two minutes for a probe, not 20 s", { use: "rare" }),
    model: { ...option("id", "Model for the turns of --live", { use: "rare" }), default: "auto" },
    report: option("file", "Write a file for a bug report; --live always writes one"),
    capture: option("file", "With --live: write every message that went to and from Cursor, without anything private", {
      use: "rare",
    }),
    "update-profile": flag("First ask npm's registry for a newer Cursor SDK, and claim its version if possible", {
      use: "rare",
    }),
    json: flag("Print JSON"),
    ...settingArgs([...upstreamSettings, "host", "port", "stateFolder"]),
  },
  /** The exit code is 0 if nothing failed; warnings do not count. */
  async run({ args, machine }) {
    const { model, json: isJson = false } = args;
    if (args.capture !== undefined && args.live !== true)
      throw new CommandFailure(2, "--capture records the turns of --live. Run: curlew doctor --live --capture FILE");
    if (args.capture !== undefined) checkWritable(args.capture);
    const recorder = args.capture === undefined ? undefined : new RawCapture(() => performance.now());
    const colors = colorsFor(machine.stdout, machine.env);
    const findings: Finding[] = [];
    let troubles: Told["troubles"] = [];
    let probes: ProbeResult[] | null = null;
    let spend: (ProbeCosts & Record<"before" | "after", CursorPlan | null>) | null = null;
    const watch = new WireWatch(() => performance.now(), recorder);
    let clientVersion: string | null = null;
    const print = (text: string) => {
      if (!isJson) machine.stdout.write(text);
    };
    const found = (finding: Finding) => {
      findings.push(finding);
      print(folded(machine.stdout, describeFinding(shownOn(machine.stdout, finding), colors), FINDING_INDENT));
    };
    const examine = async (composed: ComposedGateway, loaded: LoadedSettings) => {
      const checks = checkAll(composed, loaded);
      for await (const finding of whileSpinning(machine, checks, "asking Cursor")) found(finding);
      clientVersion = composed.upstream.client.version;
      // Only a warning: the cause may be fixed by now, and --live would show it.
      ({ troubles } = await composed.troubles());
      for (const trouble of troubles) found(warn("turns", troubleText(trouble), trouble.command));
      if (!args.live) return;
      print("\n");
      const isSick = findings.some(({ status }) => status === "fail");
      if (isSick) return print("The turns of --live are not run until this is fixed.\n");
      const settings = quietly(loaded);
      const plan = await planProbes(composed.gateway, settings.profile, model);
      const before = await readSpend(composed);
      print(`Used before: ${describeSpend(before)}\n\n`);
      if (!(await mayRunProbes(machine, composed.backend, plan, args.yes === true))) return;
      const seen: ProbeResult[] = [];
      probes = seen;
      const spin = () => startSpinner(machine, "trying it out");
      let stop = spin();
      const onProbe = (result: ProbeResult) => {
        seen.push(result);
        stop();
        print(folded(machine.stdout, describeProbe(shownOn(machine.stdout, result), colors), PROBE_INDENT));
        stop = spin();
      };
      const limitMs = args.long ? LONG_PROBE_MS : undefined;
      const deps = { composed, settings, stderr: machine.stderr, model, watch, plan, limitMs };
      const costs = await runProbes(deps, onProbe).finally(() => stop());
      spend = { ...costs, before, after: await readSpend(composed) };
      print(`\nUsed after: ${describeSpend(spend.after)}; ${costs.turns} turns in ${costs.runs} runs\n`);
    };
    const isUpdating = args["update-profile"] === true;
    const loaded = await checkMachine(settingsFrom(args, machine), machine.stderr, found, isUpdating);
    if (loaded !== undefined)
      await checkChosenBackend(loaded, machine.stderr, found, examine, args.live === true ? watch : undefined);

    const all = [...findings, ...(probes ?? [])];
    const usualFolder = args.live === true ? loaded?.settings.stateFolder : undefined;
    const usualFile = usualFolder && join(usualFolder, "doctor-report.json");
    const file = args.report === undefined ? usualFile : resolve(args.report);
    if (file !== undefined) {
      const secrets = [loaded?.settings.apiKey, loaded?.settings.authToken, loaded?.settings.key];
      writeReport(file, machine, { clientVersion, model, findings, probes }, secrets);
    }
    const captured = probes === null || args.capture === undefined ? undefined : resolve(args.capture);
    print(`\n${summary(all)}${file === undefined ? "" : `The report is in ${file}\n`}`);
    const isWell = !all.some(({ status }) => status === "fail");
    // A failed check names its own next command.
    if (isWell && !troubles.some(({ isFatal }) => isFatal) && loaded !== undefined && !isJson)
      print(`${await findNextStep(loaded.settings, { isSignedIn: true })}\n`);
    // The turns are spent, so their results are printed even if the capture fails.
    let answers: Answer[] | null = null;
    let unwritten: unknown;
    try {
      if (recorder !== undefined && captured !== undefined) {
        const shown = { prompts: probeTexts };
        const capture = finishCapture(recorder, { by: "doctor", version, nowMs: Date.now(), shown });
        answers = answersIn(capture);
        await writeCapture(machine, captured, capture, loaded?.settings);
      }
    } catch (thrown) {
      unwritten = thrown;
    }
    const written = unwritten === undefined ? (captured ?? null) : null;
    const report = { version, findings, probes, spend, report: file ?? null, capture: written, answers };
    if (isJson) printJson(machine.stdout, report);
    if (answers !== null)
      print(`\n${folded(machine.stdout, describeAnswers(shownOn(machine.stdout, answers), colors), ANSWER_INDENT)}`);
    if (unwritten !== undefined) return explain(unwritten, machine); // throwing would print a second JSON value
    if (written !== null) print(`The capture is in ${written}\n`);
    return isWell ? 0 : 1;
  },
});

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
  stderr: Output,
  found: (finding: Finding) => void,
  examine: (composed: ComposedGateway, loaded: LoadedSettings) => Promise<void>,
  recorder: Recorder | undefined,
): Promise<void> {
  let isOpen = false;
  try {
    await withProbeGateway(
      quietly(loaded),
      stderr,
      (composed) => {
        isOpen = true;
        return examine(composed, loaded);
      },
      recorder,
    );
  } catch (thrown) {
    if (isOpen || !(thrown instanceof StartError)) throw thrown;
    const [check, fix] =
      thrown.code === "credential_missing" ? ["token", "curlew login"] : ["settings", "curlew --help"];
    found(fail(check, reasonOf(thrown), fix));
  }
}

/** The findings replace the log, so it is silent unless a level was set. */
function quietly({ settings, origins }: LoadedSettings): Settings {
  return origins.logLevel === undefined ? { ...settings, logLevel: "silent" } : settings;
}
