import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createLineRedactor } from "../../ops/redact.js";
import { version } from "../../version.js";
import { CommandFailure } from "../line/command-failure.js";
import { type Finding, reasonOf } from "./finding.js";
import type { ProbeResult } from "./live/run-probes.js";

const ANSWER_CHARS = 300;

interface ReportContent {
  readonly findings: readonly Finding[];
  /** Null if no probe was run. */
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

/**
 * Writes one file that can go with a bug report. It holds no secrets, no paths below the home directory, and no conversation but
 * that of the probes.
 *
 * @throws {CommandFailure} The file cannot be written.
 */
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
