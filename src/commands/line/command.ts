import type { CommandDefinition, CommandGroup } from "./definition.js";

export interface Command {
  readonly name: string;
  readonly about: string;
  /** The section of the program's help. */
  readonly group: string;
  load(): Promise<CommandDefinition | CommandGroup>;
}

/** A command is imported only when it runs: what it needs must not slow down the others. */
export function command<Name extends string>(
  name: Name,
  group: string,
  about: string,
  load: () => Promise<{ readonly [Export in Name]: CommandDefinition | CommandGroup }>,
): Command {
  return { name, about, group, load: async () => (await load())[name] };
}

/** All that the program says on standard output in one go; the exit code is that of success. */
export function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
