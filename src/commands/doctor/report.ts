import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createLineRedactor } from "../../ops/log.js";
import { type Colors, CommandFailure } from "../../terminal/print.js";
import { version } from "../../version.js";
import { type Finding, reasonOf } from "./finding.js";
import type { ProbeResult } from "./live/run-probes.js";

const ANSWER_CHARS = 300;

interface ReportContent {
  readonly findings: readonly Finding[];
  readonly probes: readonly ProbeResult[] | null;
  readonly clientVersion: string | null;
  readonly model: string;
}

interface ReportLocation {
  readonly file: string;
  readonly secrets: readonly (string | undefined)[];
  /** It contains the user's name, so the report shows `~` instead. */
  readonly homeDirectory: string;
}

/** Writes a file for a bug report: no secrets, no paths below the home folder, no conversation but that of the probes. */
export function writeReport(report: ReportContent, { file, secrets, homeDirectory }: ReportLocation): void {
  const probes = report.probes?.map((probe) => ({ ...probe, answer: probe.answer?.slice(0, ANSWER_CHARS) }));
  const content = {
    curlew: version,
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    written: new Date().toISOString(),
    ...report,
    probes: probes ?? null,
  };
  const redact = createLineRedactor(secrets.filter((secret) => secret !== undefined));
  const text = redact(JSON.stringify(content, null, 2)).replaceAll(JSON.stringify(homeDirectory).slice(1, -1), "~");
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
  } catch (cause) {
    throw new CommandFailure(1, `The report cannot be written: ${reasonOf(cause)}`, { cause });
  }
}

const STATUS_WIDTH = 8;
const PROBE_STATUS_WIDTH = 12;
const NAME_WIDTH = 15;
/** Where the text of a finding begins, and that of a probe. */
export const FINDING_INDENT = STATUS_WIDTH + NAME_WIDTH + 1;
export const PROBE_INDENT = PROBE_STATUS_WIDTH + NAME_WIDTH + 1;

/** `ok    token           Ends in ...`: words instead of signs, so that pipes and screen readers get the same text. */
export function describeFinding({ check, status, why, fix }: Finding, colors: Colors): string {
  const head = row(status, check, why, colors);
  return fix === null ? head : `${head}${below(`${colors.bold("Run:")} ${colors.cyan(fix)}`)}`;
}

export function describeProbe({ name, status, claim, note }: ProbeResult, colors: Colors): string {
  const words = { ok: "as expected", warn: "differs", fail: "failed", skipped: "not shown" } as const;
  const width = PROBE_STATUS_WIDTH;
  return `${row(status, name, `${claim}.`, colors, words[status], width)}${below(colors.dim(note), width)}`;
}

export function summary(found: readonly Pick<Finding, "status">[]): string {
  const count = (status: Finding["status"]) => found.filter((each) => each.status === status).length;
  const failed = count("fail");
  const warned = count("warn");
  if (failed === 0 && warned === 0) return "All checks passed.\n";
  return `${failed} failed, ${warned} warnings, ${count("ok")} passed.\n`;
}

function row(
  status: Finding["status"],
  name: string,
  text: string,
  colors: Colors,
  word: string = status,
  width = STATUS_WIDTH,
): string {
  const color = { ok: colors.green, warn: colors.yellow, fail: colors.red, skipped: colors.dim }[status];
  return `${color(word.padEnd(width))}${name.padEnd(NAME_WIDTH)} ${text}\n`;
}

function below(text: string, width = STATUS_WIDTH): string {
  return `${" ".repeat(width + NAME_WIDTH)} ${text}\n`;
}
