import { Refused } from "./world.js";

/** How an option is written and which value it takes, in the words of `--help`. */
export interface OptionSpec {
  readonly flags: readonly string[];
  readonly takes?: { readonly name: string; readonly optional?: boolean; readonly choices?: readonly string[] };
}

export interface Parsed {
  /** Values by long name; true for an option without a value. The last one wins. */
  readonly options: ReadonlyMap<string, string | true>;
  readonly positionals: readonly string[];
}

/**
 * Parses strictly, with the error messages of the library that the CLI uses. Stops at the first positional that `isLast` accepts.
 */
export function parseFlags(
  args: readonly string[],
  specs: readonly OptionSpec[],
  isLast: (positional: string) => boolean = () => false,
): Parsed & { readonly rest: readonly string[] } {
  const options = new Map<string, string | true>();
  const positionals: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") return { options, positionals: [...positionals, ...args.slice(at + 1)], rest: [] };
    if (!arg.startsWith("-") || arg === "-") {
      if (positionals.length === 0 && isLast(arg)) return { options, positionals: [arg], rest: args.slice(at + 1) };
      positionals.push(arg);
      continue;
    }
    const [written = arg, inline] = arg.startsWith("--") && arg.includes("=") ? cutAt(arg, "=") : [arg];
    const spec = specs.find(({ flags }) => flags.includes(written));
    if (spec === undefined) throw new Refused(`error: unknown option '${written}'`);
    const name = spec.flags.at(-1) ?? written;
    if (spec.takes === undefined) {
      options.set(name, true);
      continue;
    }
    const next = args[at + 1];
    // An optional value counts only if it does not look like the next option.
    const value =
      inline ?? (spec.takes.optional === true && (next === undefined || next.startsWith("-")) ? true : next);
    if (value === undefined) throw new Refused(`error: option '${describe(spec)}' argument missing`);
    if (inline === undefined && value !== true) at += 1;
    const { choices } = spec.takes;
    if (choices !== undefined && value !== true && !choices.includes(value)) {
      const allowed = `Allowed choices are ${choices.join(", ")}.`;
      throw new Refused(`error: option '${describe(spec)}' argument '${value}' is invalid. ${allowed}`);
    }
    options.set(name, value);
  }
  return { options, positionals, rest: [] };
}

/** The value of an option that takes one. */
export function givenTo({ options }: Parsed, name: string): string | undefined {
  const value = options.get(name);
  return value === true ? undefined : value;
}

export function describe({ flags, takes }: OptionSpec): string {
  const value = takes === undefined ? "" : takes.optional === true ? ` [${takes.name}]` : ` <${takes.name}>`;
  return flags.join(", ") + value;
}

function cutAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
