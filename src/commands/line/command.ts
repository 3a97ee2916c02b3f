import type { CommandDefinition, CommandGroup } from "./definition.js";

export interface Command {
  readonly name: string;
  readonly about: string;
  readonly group: string;
  load(): Promise<CommandDefinition | CommandGroup>;
}

/** The group of what most people never need: only the whole help lists it. */
export const BESIDE = "Tools";

/** A command is imported only when it runs: what it needs must not slow down the others. */
export function command<Name extends string>(
  name: Name,
  group: string,
  about: string,
  load: () => Promise<{ readonly [Export in Name]: CommandDefinition | CommandGroup }>,
): Command {
  return { name, about, group, load: async () => (await load())[name] };
}
