import { styleText } from "node:util";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import type { Output } from "./command-machine.js";

/** Prints a value as JSON, or in the words of `describe`, with visible control characters on a terminal. Returns 0. */
export function report<Value>(
  stdout: Output,
  value: Value,
  isJson: boolean | undefined,
  describe: (shown: Value) => string,
  toJson: (value: Value) => unknown = (same) => same,
): number {
  if (isJson) return printJson(stdout, toJson(value));
  stdout.write(describe(shownOn(stdout, value)));
  return 0;
}

export function printJson(stdout: Output, value: unknown): number {
  return print(stdout, JSON.stringify(shownOn(stdout, value), null, 2));
}

/** Prints a text. Returns exit code 0. */
export function print(stdout: Output, text: string): number {
  stdout.write(`${text}\n`);
  return 0;
}

/** JSON that is also safe on a terminal. It parses to the same value. */
export function harmlessJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, (found) => {
    const units = Array.from({ length: found.length }, (_, at) => found.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}

const styles = ["bold", "dim", "red", "green", "yellow", "cyan", "magenta"] as const;

export type Paint = (text: string) => string;
export type Colors = Readonly<Record<(typeof styles)[number], Paint>>;

/** Colours for a terminal, none for pipes and files, unless `NO_COLOR` or `FORCE_COLOR` say otherwise. */
export function colorsFor({ isTTY }: { readonly isTTY?: boolean }, env: Machine["env"]): Colors {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  const isForbidden = Boolean(NO_COLOR) || FORCE_COLOR === "0" || FORCE_COLOR === "false";
  return createColors(!isForbidden && (Boolean(FORCE_COLOR) || (isTTY === true && TERM !== "dumb")));
}

export function createColors(isColored: boolean): Colors {
  const entries = styles.map((style) => [
    style,
    // styleText would check stdout, which may not be the stream that is written to.
    (text: string) => (isColored ? styleText(style, text, { validateStream: false }) : text),
  ]);
  return Object.fromEntries(entries);
}

/** A command that cannot do what was asked; its message is all that the user sees. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  /** 1 = failed, 2 = used wrongly. */
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

interface Failing {
  readonly exitCode: 1 | 2;
  /** Other errors are thrown as they are. */
  readonly kind?: abstract new () => Error;
  readonly words: (reason: string) => string;
}

/** Returns what `work` returns. @throws {CommandFailure} `work` threw, which `words` explains. */
export function orFail<Result>(work: () => Result, { exitCode, kind = Error, words }: Failing): Result {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof kind)) throw cause;
    throw new CommandFailure(exitCode, words(reasonOf(cause)), { cause });
  }
}

/** The failure to write a file; a refusal by the command itself stays as it is. */
export function notWritten(path: string, thrown: unknown): CommandFailure {
  if (thrown instanceof CommandFailure) return thrown;
  return new CommandFailure(1, `${path} cannot be written: ${reasonOf(thrown)}.`, { cause: thrown });
}
