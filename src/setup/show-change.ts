import { structuredPatch } from "diff";
import { harmlessText } from "../shown-on.js";
import type { Colors } from "../terminal/print.js";
import type { Change } from "./change.js";

/** The change as a unified diff, without secrets and without what a terminal would obey. */
export function showChange(change: Omit<Change, "make" | "backup">, { red, green, dim, bold }: Colors): string {
  const { file, before, after, secrets } = change;
  const { hunks } = structuredPatch("", "", hide(before, secrets), hide(after, secrets), "", "", { context: 3 });
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    dim(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...changed
      .map((line) => harmlessText(withoutForeignKeys(line)))
      .map((line) => (line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line)),
  ]);
  const [from, to] = [before, after].map((text) => (text === undefined ? "/dev/null" : harmlessText(file)));
  return [bold(`--- ${from}`), bold(`+++ ${to}`), ...lines, ""].join("\n");
}

function hide(text: string | undefined, secrets: readonly string[]): string {
  const plain = (text ?? "").replaceAll("\r\n", "\n");
  return secrets.flatMap(spellings).reduce((now, each) => now.replaceAll(each, "***"), plain);
}

/** The forms of a secret in a file: as it is or escaped for pi, each with or without quotation marks. */
function spellings(secret: string): string[] {
  return [secret, secret.replaceAll("$", "$$$$")].flatMap((each) => [each, JSON.stringify(each).slice(1, -1)]);
}

/** A value after a name that is one of a secret, in JSON, TOML, YAML or a file of variables. */
const NAMED_SECRET =
  /((?:api[-_]?key|token|secret|password|authorization)["']?\s*[:=]\s*)("(?:\\.|[^"\\])*"|'[^']*'|(?:(?:bearer|basic) +)?[^\s"',}\]]+)/gi;
/** What the keys of well-known services look like. */
const KEY = /\b(?:crsr_|curlew_|sk-|gh[pousr]_|github_pat_|AIza|xox[abp]-)[\w-]{8,}/g;
/** No secrets: the name of a variable in the ways that clients have for it, and a word that stands where a key must. */
const NO_SECRET = /^["']?(?:\$|\{env:|\{file:|os\.environ\/|anything\b|curlew-|none\b|true\b|false\b|null\b|["']?$)/i;

/** A line near the change may hold a key of another service, which nobody needs to see. */
function withoutForeignKeys(line: string): string {
  return line
    .replace(NAMED_SECRET, (all, name: string, value: string) => {
      if (NO_SECRET.test(value)) return all;
      const quote = /^["']/.exec(value)?.[0] ?? "";
      return `${name}${quote}***${quote}`;
    })
    .replace(KEY, "***");
}
