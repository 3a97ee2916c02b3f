import { Command, Option } from "commander";
import type { ArgDef } from "../definition.js";
import { needsValue, wrongUsage } from "./wrong-usage.js";

/** An option of commander that knows what it was made from. */
export class LineOption extends Option {
  readonly arg: ArgDef | undefined;

  constructor(flags: string, arg?: ArgDef) {
    super(flags, arg?.description);
    this.arg = arg;
  }
}

/** A command of commander that refuses wrong usage in our words, and never ends the process by itself. */
export class LineCommand extends Command {
  /** The words of the command line behind its name. */
  rawArgs: readonly string[] = [];

  override createCommand(name?: string): LineCommand {
    const created = new LineCommand(name);
    const [first, ...rest] = this.rawArgs;
    created.rawArgs = first === name ? rest : this.rawArgs;
    return created;
  }

  override error(message: string, { code = "" }: { readonly code?: string } = {}): never {
    // What lacks its value is the last word.
    if (code === "commander.optionMissingArgument") throw needsValue(this, this.rawArgs.at(-1));
    throw wrongUsage(this, code, message);
  }
}
