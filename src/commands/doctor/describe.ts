import type { Colors } from "../line/colors.js";
import type { Finding } from "./finding.js";
import type { CheckedFact } from "./live/run-probes.js";

const STATUS_WIDTH = 8;
const NAME_WIDTH = 15;

/** `ok    token           Good until ...`: words, not signs, so that a pipe and a screen reader get the same. */
export function describeFinding({ check, status, why, fix }: Finding, colors: Colors): string {
  const head = row(status, check, why, colors);
  return fix === null ? head : `${head}${below(`${colors.bold("Run:")} ${colors.cyan(fix)}`)}`;
}

/** The fact itself, and below it what was seen of it. */
export function describeFact({ name, status, fact, note }: CheckedFact, colors: Colors): string {
  const words = { ok: "holds", warn: "unclear", fail: "broken", skipped: "skipped" } as const;
  return `${row(status, name, `${fact}.`, colors, words[status])}${below(colors.dim(note))}`;
}

export function summary(found: readonly Pick<Finding, "status">[]): string {
  const count = (status: Finding["status"]) => found.filter((each) => each.status === status).length;
  const failed = count("fail");
  const warned = count("warn");
  if (failed === 0 && warned === 0) return "All is well.\n";
  return `${failed} failed, ${warned} to look at, ${count("ok")} fine.\n`;
}

function row(status: Finding["status"], name: string, text: string, colors: Colors, word: string = status): string {
  const color = { ok: colors.green, warn: colors.yellow, fail: colors.red, skipped: colors.dim }[status];
  return `${color(word.padEnd(STATUS_WIDTH))}${name.padEnd(NAME_WIDTH)} ${text}\n`;
}

function below(text: string): string {
  return `${" ".repeat(STATUS_WIDTH + NAME_WIDTH)} ${text}\n`;
}
