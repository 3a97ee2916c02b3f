import { field, isObject, parseJson } from "../../../turn/read-json.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { type ClientResult, findExitCode } from "./client-result.js";
import { type Role, roles, type Slot } from "./equivalents.js";
import { findTools } from "./find-tools.js";
import { toExtendedExpression } from "./grep-expression.js";
import type { SlotValues, WantedInput } from "./native-request.js";
import { shellInputs } from "./shell.js";

/** How long Codex waits before it leaves a command in the background: its own ten seconds are short for a search. */
const PATIENCE_MS = 30_000;
/** The longest path on Linux. */
const MAX_CHARACTERS = 4_096;
/** They act on a terminal instead of being read, or reorder what the user sees and approves. */
const UNSHOWN = /[\p{Cc}\p{Bidi_Control}]/u;

/** The client's shells, if it reads files with nothing else. A client with more tools is left to use those. */
export function shellsForFiles(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return findTools(tools, roles.read).length > 0 ? [] : findTools(tools, roles.shell).filter(isUnixShell);
}

/** Tools that run commands with another shell, such as Codex's on Windows, say so. */
function isUnixShell({ description, inputSchema }: ToolDefinition): boolean {
  return !/power ?shell|\bpwsh\b|\bcmd\.exe\b|\bwindows\b/i.test(description + JSON.stringify(inputSchema));
}

/** The input for a shell that does the same, if a command does. */
export function asShellInput(role: Role, { must, may, purpose }: WantedInput): WantedInput | undefined {
  const known: readonly string[] = slotsOf[role] ?? [];
  const given = Object.entries(must).filter(([, value]) => value !== undefined);
  const hasUnfit = given.some(([, value]) => UNSHOWN.test(String(value)) || String(value).length > MAX_CHARACTERS);
  if (hasUnfit || !given.every(([slot]) => known.includes(slot))) return undefined;
  const command = lineFor(role, { ...must, outputMode: may?.outputMode, context: may?.context });
  if (command === undefined) return undefined;
  const [input] = shellInputs({ command, workingDirectory: "", patienceMs: PATIENCE_MS, isBackground: false });
  return input && { ...input, purpose };
}

const slotsOf: Partial<Record<Role, readonly Slot[]>> = {
  read: ["path", "startLine", "endLine"],
  list: ["path"],
  grep: ["pattern", "path", "glob", "isCaseInsensitive", "isLiteral", "contextBefore", "contextAfter"],
};

/** The words of Cursor's side are quoted, and none can be taken for an option. `grep` is GNU's or BSD's. */
function lineFor(role: Role, slots: SlotValues): string | undefined {
  const { path = ".", startLine, endLine } = slots;
  const place = quote(String(path).replace(/^-/, "./-"));
  switch (role) {
    case "read":
      return startLine === undefined ? `cat ${place}` : `sed -n '${startLine},${endLine ?? "$"}p' ${place}`;
    case "list":
      return `ls -1Ap ${place}`;
    case "grep":
      return grepCommand(slots, place);
    default:
      return undefined;
  }
}

function grepCommand(slots: SlotValues, place: string): string | undefined {
  const { pattern, glob, isCaseInsensitive, isLiteral, outputMode } = slots;
  const { contextBefore = slots.context, contextAfter = slots.context } = slots;
  const sought = isLiteral ? String(pattern) : toExtendedExpression(String(pattern));
  const globs = glob === undefined ? [] : namesIn(String(glob));
  if (sought === undefined || globs === undefined) return undefined;
  const shows = outputMode === "files_with_matches" ? "l" : "n";
  const words = [
    `grep -rIH${isLiteral ? "F" : "E"}${isCaseInsensitive ? "i" : ""}${shows}`,
    ...(contextBefore === undefined ? [] : [`-B ${contextBefore}`]),
    ...(contextAfter === undefined ? [] : [`-A ${contextAfter}`]),
    // What the search of Cursor leaves out for a .gitignore is mostly here.
    "--exclude-dir=.git --exclude-dir=node_modules",
    ...globs.map((name) => `--include=${quote(name)}`),
    `-e ${quote(sought)}`,
    place,
  ];
  return words.join(" ");
}

/** A glob as patterns of file names, which are all that `grep` can take. */
function namesIn(glob: string): readonly string[] | undefined {
  const name = glob.replace(/^(?:\*\*\/)+/, "");
  const [, before = name, choices = "", after = ""] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/.exec(name) ?? [];
  const names = choices.split(",").map((choice) => before + choice + after);
  return /^!|\//.test(name) || names.some((each) => /[{}]/.test(each)) ? undefined : names;
}

/**
 * One word for sh, bash, zsh and fish alike: fish, unlike the others, knows backslashes between single quotes, and PowerShell takes
 * typographic quotes for its own, so these are between double quotes, where none of the shells reads them as anything else.
 */
function quote(text: string): string {
  if (/^[\w./-]+$/.test(text)) return text;
  const parts = text.match(/['‘’‚‛]+|\\+|[^'‘’‚‛\\]+/g) ?? [""];
  return parts.map((part) => (/^['‘’‚‛\\]/.test(part) ? `"${part.replaceAll("\\", "\\\\")}"` : `'${part}'`)).join("");
}

/** The lines that Codex puts before what a finished command has printed. */
const HEAD =
  /^(?:(?:Chunk ID|Wall time|Process exited with code|Original token count|Total output lines|Exit code)\b.*\n)+Output:\n/;
/** The line below what a command of OpenAI's `shell` has printed. */
const TAIL = /(?:^|\n)Exit code \d+\.$/;

/** The answer without what a client's shell adds, as a tool of this role would have given it. */
export function printedBy(role: Role, answer: ClientResult): ClientResult {
  const { printed, exitCode } = readPrinted(answer);
  if (role === "grep" && exitCode === 1) return { ...answer, text: "", isError: false }; // nothing was found
  if (answer.isError || (exitCode ?? 0) !== 0) {
    return { ...answer, text: printed || `The command failed with exit code ${exitCode}.`, isError: true };
  }
  // Of a listing, each line is a name, whatever it begins with.
  return { ...answer, text: role === "list" ? printed.replace(/^(?=.)/gm, "- ") : printed };
}

function readPrinted({ text, isError }: ClientResult): { printed: string; exitCode: number | undefined } {
  const wrapped = text.startsWith("{") ? parseJson(text) : undefined;
  const output = field(wrapped, "output");
  if (typeof output === "string" && isObject(field(wrapped, "metadata"))) {
    return { printed: output, exitCode: findExitCode(text) };
  }
  const [head] = HEAD.exec(text) ?? [];
  if (head !== undefined) return { printed: text.slice(head.length), exitCode: findExitCode(head) };
  const [tail] = TAIL.exec(text) ?? [];
  if (tail !== undefined) return { printed: text.slice(0, -tail.length), exitCode: findExitCode(tail) };
  // A file that was read may speak of exit codes, too.
  return { printed: text, exitCode: isError ? findExitCode(text) : undefined };
}
