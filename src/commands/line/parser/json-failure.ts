import type { Command } from "commander";

/** What standard output has of a failure where JSON was asked for: its code, if it has one, and its message. */
export function jsonFailure(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return JSON.stringify({ error: { ...(code !== undefined && { code }), message } });
}

/** Whether a line asks for JSON, and of a command that can print it: what follows `run claude` is for another program. */
export function wantsJson(program: Command, argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes("--json") && printsJson(namedBy(program, argv));
}

/** The command that the words lead to, as far as they do. */
function namedBy(command: Command, [word, ...rest]: readonly string[]): Command {
  const below = command.commands.find((each) => each.name() === word);
  return below === undefined ? command : namedBy(below, rest);
}

function printsJson(command: Command): boolean {
  return command.options.some(({ long }) => long === "--json") || command.commands.some(printsJson);
}
