import { shownOn } from "../shown-on.js";

/** Prints a value as JSON, or as `describe` words it, control characters as signs on a terminal. Returns 0. */
export function report<Value>(value: Value, isJson: boolean | undefined, describe: (shown: Value) => string): number {
  if (isJson) return printJson(value);
  process.stdout.write(describe(shownOn(process.stdout, value)));
  return 0;
}

export function printJson(value: unknown): number {
  return print(JSON.stringify(shownOn(process.stdout, value), null, 2));
}

/** All that the program says on standard output in one go; the exit code is that of success. */
export function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

/** JSON for machines, which may be shown on a terminal all the same. It reads back as the same value. */
export function harmlessJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, (found) => {
    const units = Array.from({ length: found.length }, (_, at) => found.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
