import { parseJson } from "../../../turn/read-json.js";
import { isSchema } from "./json-schema.js";

/** Clients put it above the output or below it. In between it may be the command's own words. */
const HEAD_LINES = 5;
const TAIL_LINES = 8;

const forms: readonly RegExp[] = [
  /^\W*exit[ _-]?code[^\w-]{1,3}(-?\d+)\W*$/i, // Exit code 1, Exit Code: 1, (exit_code=1)
  /\b(?:process|command) (?:exited|failed|finished|completed) with (?:exit )?(?:code|status):? (-?\d+)/i,
  /^error \(exit code:? (-?\d+)\)/i,
  /\. exit code: (-?\d+)$/i, // ... within working directory '/x'. Exit code: 0
  /\bfailed with exit code (-?\d+)\.?$/i,
  /<exit_?code>\s*(-?\d+)\s*<\/exit_?code>/i,
];

/** The exit code that a client wrote into the result of its shell tool, where its form is recognisable. */
export function findExitCode(text: string): number | undefined {
  const fromJson = exitCodeInJson(text);
  if (fromJson !== undefined) return fromJson;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return firstExitCode(lines.slice(0, HEAD_LINES)) ?? firstExitCode(lines.slice(-TAIL_LINES).reverse());
}

function firstExitCode(lines: readonly string[]): number | undefined {
  for (const line of lines) {
    for (const form of forms) {
      const found = form.exec(line.trim());
      if (found !== null) return toCode(found[1]);
    }
  }
  return undefined;
}

function exitCodeInJson(text: string): number | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  const parsed = parseJson(text);
  if (!isSchema(parsed)) return undefined;
  for (const place of [parsed, parsed.metadata]) {
    if (!isSchema(place)) continue;
    for (const name of ["exit_code", "exitCode", "returncode"]) {
      const code = place[name];
      if (typeof code === "number" && Number.isInteger(code)) return toCode(code);
    }
  }
  return undefined;
}

/** The wire has 32 bits for it; Windows' large codes become the negative ones that they are. */
function toCode(digits: unknown): number {
  return Number(digits) | 0;
}
