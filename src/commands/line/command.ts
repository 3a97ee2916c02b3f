import { type ArgsDef, type CommandDef, runCommand } from "citty";
import { checkArguments, withPassedOn } from "./arguments.js";
import { colorsFor } from "./colors.js";
import { commandHelp } from "./help.js";

export interface Command {
  readonly name: string;
  readonly about: string;
  args(): Promise<ArgsDef>;
  run(rawArgs: readonly string[]): Promise<number>;
}

/** A command is imported only when it runs: what it needs must not slow down the others. */
export function command<Name extends string, Args extends ArgsDef>(
  name: Name,
  about: string,
  load: () => Promise<{ readonly [Export in Name]: CommandDef<Args> }>,
  { passesOn = false } = {},
): Command {
  const argsOf = async ({ args }: CommandDef<Args>): Promise<ArgsDef> =>
    (await (typeof args === "function" ? args() : args)) ?? {};
  return {
    name,
    about,
    args: async () => argsOf((await load())[name]),
    async run(given) {
      const loaded = (await load())[name];
      const args = await argsOf(loaded);
      const rawArgs = passesOn ? withPassedOn(args, given) : given;
      if (checkArguments(name, args, rawArgs).wantsHelp)
        return print(commandHelp(name, about, args, colorsFor(process.stdout)));
      const { result } = await runCommand(loaded, { rawArgs: [...rawArgs] });
      return typeof result === "number" ? result : 0;
    },
  };
}

/** All that the program says on standard output in one go; the exit code is that of success. */
export function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
