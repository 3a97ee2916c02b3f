import type { Colors } from "../line/colors.js";
import { howSoon } from "../terminal/how-soon.js";
import { listing, type Row } from "../terminal/table.js";
import type { StatusReport } from "./read-status.js";

export const NAME_WIDTH = 11;

/** @param next the command to go on with */
export function describeStatus(report: StatusReport, next: string, nowMs: number, colors: Colors): string {
  const { dim, green, red } = colors;
  const { gateway } = report;
  const isFine = report.auth === "authenticated";
  const rows: Row[] = [
    ["curlew", report.version],
    ["credential", describeCredential(report)],
    ["account", report.credential?.email ?? null],
    ["ends", endOf(report, nowMs)],
    ["check", (isFine ? green : red)(isFine ? `passed, ${report.models} models` : (report.problem ?? report.auth))],
    ["backend", `${report.backend}, ${report.backendUrl ?? "built in"}`],
    ...Object.entries(report.routes).map(([model, name]): [string, string] => ["route", `${model} to ${name}`]),
    ["fallback", report.fallback.join(", ") || null],
    ["conduct", report.conduct === "careful" ? report.conduct : null],
    ["client", `${report.clientVersion}, ${report.clientVersionFrom ?? "built in"}`],
    [
      "gateway",
      gateway.isRunning
        ? `${gateway.version} runs at ${gateway.url} (${describeRunning(gateway)})`
        : `none at ${gateway.url}`,
    ],
    ...Object.entries(gateway.backends ?? {}).map(([name, state]): [string, string] => [`  ${name}`, state]),
    ["settings", `${report.configFile}${report.hasConfigFile ? "" : " (not created)"}`],
  ];
  return `${listing(rows, { minWidth: NAME_WIDTH, dim })}\n${next}\n`;
}

function describeCredential({ credential, keptFor }: StatusReport): string {
  if (credential !== null) return `${credential.kind} ${credential.hint} from ${credential.from}`;
  return keptFor === null ? "none" : `none for this server; one is kept for ${keptFor}`;
}

/** The token of an API key is renewed all the time, and its end is of no interest to people. */
function endOf({ credential, tokenExpires }: StatusReport, nowMs: number): string | null {
  const end = credential?.expires ?? (credential?.kind === "access token" ? tokenExpires : null);
  return end === null ? null : howSoon(Date.parse(end), nowMs);
}

function describeRunning({ backend, conduct }: { backend?: string; conduct?: string }): string {
  return conduct === "careful" ? `${backend}, careful conduct` : `${backend}`;
}
