import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { version } from "../../app/version.js";
import { createLineRedactor } from "../../log/log.js";
import { type Colors, orFail } from "../../terminal/print.js";
import type { Finding, Status } from "./finding.js";
import type { Answer } from "./live/open-questions.js";
import type { ProbeResult } from "./live/run-probes.js";

const ANSWER_CHARS = 300;

interface ReportContent {
  readonly findings: readonly Finding[];
  readonly probes: readonly ProbeResult[] | null;
  readonly clientVersion: string | null;
  readonly model: string;
}

/** Writes a file for a bug report: no secrets, no paths below the home folder, no conversation except the probes'. */
export function writeReport(
  file: string,
  { platform, homeDirectory }: Machine,
  report: ReportContent,
  secrets: readonly (string | undefined)[],
): void {
  const probes = report.probes?.map((probe) => ({ ...probe, answer: probe.answer?.slice(0, ANSWER_CHARS) }));
  const content = {
    curlew: version,
    node: process.version,
    system: `${platform} ${process.arch}`,
    written: new Date().toISOString(),
    ...report,
    probes: probes ?? null,
  };
  const redact = createLineRedactor(secrets.filter((secret) => secret !== undefined));
  // The home folder contains the user's name.
  const home = JSON.stringify(homeDirectory).slice(1, -1);
  const text = redact(JSON.stringify(content, null, 2)).replaceAll(home, "~");
  const write = () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
  };
  orFail(write, { exitCode: 1, words: (why) => `The report cannot be written: ${why}` });
}

const STATUS_WIDTH = 8;
const PROBE_STATUS_WIDTH = 12;
const NAME_WIDTH = 15;
/** Columns where the texts of findings, probes and answers begin. */
export const FINDING_INDENT = STATUS_WIDTH + NAME_WIDTH + 1;
export const PROBE_INDENT = PROBE_STATUS_WIDTH + NAME_WIDTH + 1;
export const ANSWER_INDENT = 16;

/** `ok    token           Expires in ...`: words instead of symbols, so that pipes and screen readers get the same text. */
export function describeFinding({ check, status, why, fix }: Finding, colors: Colors): string {
  const run = fix === null ? undefined : `${colors.bold("Run:")} ${colors.cyan(fix)}`;
  return rows(colors[paints[status]](status.padEnd(STATUS_WIDTH)), check, [why, run], FINDING_INDENT);
}

const words = { ok: "as expected", warn: "differs", fail: "failed", skipped: "not shown" } as const;
const paints = { ok: "green", warn: "yellow", fail: "red", skipped: "dim" } as const;

export function describeProbe({ name, status, claim, note }: ProbeResult, colors: Colors): string {
  const head = colors[paints[status]](words[status].padEnd(PROBE_STATUS_WIDTH));
  return rows(head, name, [`${claim}.`, colors.dim(note)], PROBE_INDENT);
}

function rows(status: string, name: string, [first, second]: readonly (string | undefined)[], indent: number): string {
  const below = second === undefined ? "" : `${" ".repeat(indent)}${second}\n`;
  return `${status}${name.padEnd(NAME_WIDTH)} ${first}\n${below}`;
}

const shades = { "as assumed": "green", "not as assumed": "yellow", "not answered": "dim" } as const;

export function describeAnswers(answers: readonly Answer[], colors: Colors): string {
  const lines = answers.flatMap(({ question, answer, seen }) => [
    `${colors[shades[answer]](answer.padEnd(ANSWER_INDENT))}${question}`,
    `${" ".repeat(ANSWER_INDENT)}${colors.dim(seen)}`,
  ]);
  return ["Open questions about Cursor (docs/protocol/open-questions.md):", ...lines, ""].join("\n");
}

export function summary(found: readonly { readonly status: Status }[]): string {
  const count = (status: Status) => found.filter((each) => each.status === status).length;
  const failed = count("fail");
  const warned = count("warn");
  if (failed === 0 && warned === 0) return "All checks passed.\n";
  return `${failed} failed, ${warned} warnings, ${count("ok")} passed.\n`;
}
