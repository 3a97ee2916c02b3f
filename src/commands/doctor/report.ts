import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createLineRedactor } from "../../ops/redact.js";
import { version } from "../../version.js";
import { CommandFailure } from "../line/command-failure.js";
import { type Finding, reasonOf } from "./finding.js";
import type { CheckedFact } from "./live/run-probes.js";

const ANSWER_CHARS = 300;

interface ReportContent {
  readonly findings: readonly Finding[];
  /** Null when nothing was tried. */
  readonly facts: readonly CheckedFact[] | null;
  readonly clientVersion: string | null;
  readonly model: string;
}

interface ReportLocation {
  readonly file: string;
  readonly secrets: readonly (string | undefined)[];
  /** Names the user, so it is not shown. */
  readonly homeDirectory: string;
}

/** One file that can go with a bug report: no secret, no path of the user's, and no words but the probes' own. */
export function writeReport(report: ReportContent, { file, secrets, homeDirectory }: ReportLocation): void {
  const facts = report.facts?.map((fact) => ({ ...fact, answer: fact.answer?.slice(0, ANSWER_CHARS) }));
  const content = {
    curlew: version,
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    written: new Date().toISOString(),
    ...report,
    facts: facts ?? null,
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
