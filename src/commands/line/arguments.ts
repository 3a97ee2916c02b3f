import { parseArgs } from "node:util";
import type { ArgsDef } from "citty";
import { didYouMean } from "../../closest.js";
import { CommandFailure } from "./command-failure.js";
import { shortOf, useOf } from "./help.js";

export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new CommandFailure(2, `${option} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}.`);
}

/**
 * Refuses what citty accepts: unknown options, options without a value, and arguments that no command reads.
 * Returns whether help was asked for; help comes before any refusal.
 */
export function checkArguments(command: string, args: ArgsDef, rawArgs: readonly string[]): { wantsHelp: boolean } {
  const { tokens } = parseArgs({
    args: [...rawArgs],
    options: Object.fromEntries(
      Object.entries(args)
        .filter(([, { type }]) => type !== "positional")
        .map(([name, arg]) => {
          const short = shortOf(arg);
          const type = arg.type === "boolean" ? "boolean" : "string";
          return [name, short === undefined ? { type } : { type, short }] as const;
        }),
    ),
    strict: false,
    tokens: true,
  });
  const options = tokens.filter((token) => token.kind === "option");
  if (options.some(({ rawName }) => rawName === "--help" || rawName === "-h")) return { wantsHelp: true };

  const refuse = (reason: string) => new CommandFailure(2, `${reason}\nSee: curlew ${command} --help`);
  const offered = Object.keys(args).filter((name) => args[name] !== undefined && useOf(args[name]) !== "former");
  for (const { name, rawName, value, inlineValue } of options) {
    // A short option has its long name here, and one that no option has keeps its own.
    const isNamed = rawName.startsWith("--") || rawName !== `-${name}`;
    const definition = isNamed && Object.hasOwn(args, name) ? args[name] : undefined;
    if (definition === undefined || definition.type === "positional") {
      throw refuse(`Unknown option ${rawName}.${didYouMean(name, offered, "--")}`);
    }
    if (definition.type === "boolean" && inlineValue) throw refuse(`The option ${rawName} takes no value.`);
    // A value that looks like an option is most likely the next option, its own value forgotten; = says that it is meant.
    if (definition.type !== "boolean" && (value === undefined || (!inlineValue && value.startsWith("-")))) {
      throw refuse(`The option ${rawName} needs a value.`);
    }
  }
  const stray = tokens.find((token) => token.kind === "positional");
  if (stray !== undefined && !Object.values(args).some(({ type }) => type === "positional")) {
    throw refuse(`Nothing is known about the argument ${JSON.stringify(stray.value)}.`);
  }
  return { wantsHelp: false };
}

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
