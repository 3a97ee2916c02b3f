import { structuredPatch } from "diff";
import type { Change } from "./change.js";

type Colors = Readonly<Record<"red" | "green" | "dim" | "bold", (text: string) => string>>;

/** The change as a unified diff, without its secrets. */
export function showChange(
  { file, before, after, secrets }: Pick<Change, "file" | "before" | "after" | "secrets">,
  { red, green, dim, bold }: Colors,
): string {
  const { hunks } = structuredPatch("", "", hide(before, secrets), hide(after, secrets), "", "", { context: 3 });
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    dim(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...changed.map((line) => (line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line)),
  ]);
  const [from, to] = [before, after].map((text) => (text === undefined ? "/dev/null" : file));
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
