import type { Trouble } from "@curlew/page/access/contract.js";
import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import type { Settings } from "../config/settings.js";
import { howSoon } from "../terminal/moments.js";
import { type Colors, colorsFor, report } from "../terminal/print.js";
import { startSpinner } from "../terminal/spinner.js";
import { folded, listing, type Row } from "../terminal/table.js";
import { defineCommand, flag } from "./line/definition.js";
import { findNextStep } from "./setup/client-location.js";
import { describeConduct, type SentIdentity } from "./status/conduct.js";
import { readStatus, type StatusReport } from "./status/read-status.js";

export const status = defineCommand({
  examples: [
    ["curlew status", "who is signed in, and what is running"],
    ["curlew status --json", "the same for scripts"],
  ],
  args: {
    json: flag("Print JSON"),
    ...settingArgs([...upstreamSettings, "host", "port", "authCheckTimeoutMs"]),
  },
  async run({ args, machine }) {
    const loaded = loadFrom(args, machine);
    const found = await readStatus(loaded, machine.stderr).finally(startSpinner(machine, "Asking Cursor"));
    const next = args.json ? "" : await nextAfter(found, loaded.settings);
    report(machine.stdout, found, args.json, (shown) =>
      folded(
        machine.stdout,
        describeStatus(shown, next, Date.now(), colorsFor(machine.stdout, machine.env)),
        NAME_WIDTH + 1,
      ),
    );
    return found.auth === "authenticated" ? 0 : 1;
  },
});

/** For a credential that does not work, suggests the doctor: another sign-in may not help. */
async function nextAfter({ auth, credential, gateway, troubles }: StatusReport, settings: Settings) {
  const isSignedIn = auth === "authenticated";
  if (!isSignedIn && credential !== null) return "Next, find out what is wrong: curlew doctor";
  const [fatal] = troubles.filter(({ isFatal }) => isFatal);
  if (fatal !== undefined) return `Next, since turns fail: ${fatal.command ?? "curlew doctor"}`;
  return findNextStep(settings, { isSignedIn, isRunning: gateway.isRunning });
}

export const NAME_WIDTH = 11;

export function describeStatus(report: StatusReport, next: string, nowMs: number, colors: Colors): string {
  const { dim, green, red } = colors;
  const { gateway } = report;
  const isFine = report.auth === "authenticated";
  const how = gateway.conduct === "careful" ? `${gateway.backend}, careful conduct` : gateway.backend;
  const running = `${gateway.version} runs at ${gateway.url} (${how})`;
  const rows: Row[] = [
    ["curlew", report.version],
    ["credential", describeCredential(report)],
    ["account", report.credential?.email ?? null],
    ["expires", endOf(report, nowMs)],
    ["check", (isFine ? green : red)(isFine ? `passed, ${report.models} models` : report.problem)],
    ...report.troubles.map((trouble): Row => ["problem", red(troubleText(trouble))]),
    ["backend", `${report.backend}, ${report.backendUrl ?? "built in"}`],
    ...Object.entries(report.routes).map(([model, name]): [string, string] => ["route", `${model} to ${name}`]),
    ["fallback", report.fallback.join(", ") || null],
    ["conduct", conductText(report, red)],
    ["client", `${report.clientVersion}, ${report.clientVersionFrom ?? "built in"}`],
    ...report.sentAs.map((each): Row => ["seen as", sentAsText(each)]),
    ["gateway", gateway.isRunning ? running : `none at ${gateway.url}`],
    ["update", gateway.updated ? red("Curlew was updated; restart it") : null],
    ...Object.entries(gateway.backends ?? {}).map(([name, state]): [string, string] => [`  ${name}`, state]),
    ["settings", `${report.configFile}${report.hasConfigFile ? "" : " (not created)"}`],
  ];
  return `${listing(rows, NAME_WIDTH, dim)}${describeConduct(report, colors)}\n${next}\n`;
}

/** Careful conduct shows whether today complied with it. */
function conductText({ notCareful, seenToday }: StatusReport, red: Colors["red"]): string | null {
  if (notCareful === null) return null;
  if (notCareful.length > 0) return red(`careful, but not all day: ${notCareful.join(", ")}`);
  return seenToday.runs === 0 ? "careful" : "careful, all day so far";
}

function sentAsText({ backend, isOfficial, clientVersion, userAgent, hosts }: SentIdentity): string {
  if (isOfficial) return `${backend}: Cursor's own program${clientVersion === null ? "" : ` ${clientVersion}`}`;
  return `${backend}: ${clientVersion}, ${userAgent}, at ${hosts?.join(" and ") ?? "the simulator"}`;
}

export function troubleText({ what, advice }: Trouble): string {
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}.${advice === null ? "" : ` ${advice}`}`;
}

function describeCredential({ credential, keptFor }: StatusReport): string {
  if (credential !== null) return `${credential.kind} ${credential.hint} from ${credential.from}`;
  return keptFor === null ? "none" : `none for this server; one is kept for ${keptFor}`;
}

/** An API key's token is renewed continuously, so its expiry is not shown. */
function endOf({ credential, tokenExpires }: StatusReport, nowMs: number): string | null {
  const end = credential?.expires ?? (credential?.kind === "access token" ? tokenExpires : null);
  return end === null ? null : howSoon(Date.parse(end), nowMs);
}
