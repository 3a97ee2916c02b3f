import { Command, Option, type ParseOptionsResult } from "commander";
import type { ArgDef } from "../definition.js";
import { needsValue, wrongUsage } from "./wrong-usage.js";

export class LineOption extends Option {
  readonly arg: ArgDef | undefined;

  constructor(flags: string, arg?: ArgDef) {
    super(flags, arg?.description);
    this.arg = arg;
  }
}

/** A commander command with our own usage errors, which never exits the process. */
export class LineCommand extends Command {
  rawArgs: readonly string[] = [];
  passesOn = false;

  override createCommand(name?: string): LineCommand {
    const created = new LineCommand(name);
    const [first, ...rest] = this.rawArgs;
    created.rawArgs = first === name ? rest : this.rawArgs;
    return created;
  }

  /** Commander would take any word after a switch for its value, as in `curlew ask --max-mode "Why?"`. */
  override parseOptions(args: string[]): ParseOptionsResult {
    return super.parseOptions(this.#withSwitches(args));
  }

  #withSwitches(args: readonly string[]): string[] {
    const words = [...args];
    for (let at = 0; at < words.length && words[at] !== "--"; at++) {
      const word = words[at] ?? "";
      if (!word.startsWith("-")) {
        if (this.passesOn) break;
        continue;
      }
      const option = this.options.find((each) => word === each.long || word === each.short);
      const hasValue = option?.required === true || /^(?:true|false)$/.test(words[at + 1] ?? "");
      if (option instanceof LineOption && option.arg?.type === "switch" && !option.negate && !hasValue) {
        words[at] = `${word}=true`;
      } else if (hasValue) at++;
    }
    return words;
  }

  override error(message: string, { code = "" }: { readonly code?: string } = {}): never {
    // The option without a value is the last word.
    if (code === "commander.optionMissingArgument") throw needsValue(this, this.rawArgs.at(-1));
    throw wrongUsage(this, code, message);
  }
}
