import { parseArgs } from "node:util";
import type { ArgsDef } from "citty";

/**
 * For a command that starts another program: what comes after the first argument belongs to that program, its options too.
 * A `--` in between keeps it from being read as ours.
 */
export function withPassedOn(args: ArgsDef, rawArgs: readonly string[]): string[] {
  const texts = Object.entries(args).filter(([, { type }]) => type === "string");
  const { tokens } = parseArgs({
    args: [...rawArgs],
    options: Object.fromEntries(texts.map(([name]) => [name, { type: "string" }] as const)),
    strict: false,
    tokens: true,
  });
  const first = tokens.find(({ kind }) => kind === "positional" || kind === "option-terminator");
  if (first === undefined || first.kind === "option-terminator") return [...rawArgs];
  const rest = rawArgs.slice(first.index + 1);
  return [...rawArgs.slice(0, first.index + 1), "--", ...(rest[0] === "--" ? rest.slice(1) : rest)];
}
