import { findOverlap } from "./find-overlap.js";
import { NotAnalysed } from "./transitions.js";

/**
 * Sentences about what is wrong with these expressions; empty when all of them are linear or allowed with a reason.
 *
 * @param {{ file: string, line: number, code: string, source?: string, flags?: string }[]} expressions
 * @param {{ file: string, code: string, reason: string }[]} allowed
 */
export function judgeExpressions(expressions, allowed) {
  const used = new Set();
  const faults = [];
  for (const { file, line, code, source, flags } of expressions) {
    const why = source === undefined ? "it is made at run time" : whyNotLinear(source, flags);
    if (why === undefined) continue;
    const entry = allowed.find((each) => each.file === file && code.startsWith(each.code));
    if (entry === undefined) faults.push(`${file}:${line} ${code}\n  ${why}`);
    else used.add(entry);
  }
  for (const entry of allowed) {
    if (!used.has(entry))
      faults.push(`${entry.file} ${entry.code}\n  is allowed without need: take it out of the list`);
    if (entry.reason.trim() === "") faults.push(`${entry.file} ${entry.code}\n  is allowed without a reason`);
  }
  return faults;
}

/** Why an expression may take more than linear time; undefined when it never does. */
export function whyNotLinear(source, flags) {
  try {
    return findOverlap(source, flags);
  } catch (thrown) {
    if (thrown instanceof NotAnalysed) return thrown.message;
    throw thrown;
  }
}
