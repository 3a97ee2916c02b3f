import { structuredPatch } from "diff";
import type { Change } from "./change.js";

interface Colors {
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

/** The change as a unified diff. `secret` is never shown. */
export function showChange(
  { file, before, after }: Pick<Change, "file" | "before" | "after">,
  { red, green, dim, bold }: Colors,
  secret: string | undefined,
): string {
  const { hunks } = structuredPatch("", "", hide(before, secret), hide(after, secret), "", "", { context: 3 });
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    dim(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...changed.map((line) => (line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line)),
  ]);
  const [from, to] = [before, after].map((text) => (text === undefined ? "/dev/null" : file));
  return [bold(`--- ${from}`), bold(`+++ ${to}`), ...lines, ""].join("\n");
}

function hide(text: string | undefined, secret: string | undefined): string {
  const plain = (text ?? "").replaceAll("\r\n", "\n");
  return secret === undefined ? plain : spellings(secret).reduce((now, each) => now.replaceAll(each, "***"), plain);
}

/** As it may stand in a file: as it is or as pi wants it, each of them bare or in quotation marks. */
function spellings(secret: string): string[] {
  return [secret, secret.replaceAll("$", "$$$$")].flatMap((each) => [each, JSON.stringify(each).slice(1, -1)]);
}
