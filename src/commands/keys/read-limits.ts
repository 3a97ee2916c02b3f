import { type KeyLimits, MAX_COUNT, MAX_DOLLARS, type Span, spans, type Unit, units } from "../../keys/index.js";
import { CommandFailure } from "../line/command-failure.js";

const within: Readonly<Record<Span, string>> = {
  hour: "in an hour",
  day: "in a day",
  conversation: "in one conversation",
};

/** The flags of ceilings, such as `--day-tokens`. */
export const limitArgs = Object.fromEntries(
  spans.flatMap((span) =>
    units.map((unit) => {
      const description = `add, limit: the most ${unit} that the key may use ${within[span]}`;
      return [flagOf(span, unit), { type: "string" as const, description, valueHint: unit }] as const;
    }),
  ),
);

/** @throws {CommandFailure} A ceiling is no number, or out of bounds. */
export function readLimits(args: Readonly<Record<string, unknown>>): KeyLimits {
  const given = spans.map((span) => {
    const ceilings = units.flatMap((unit) => {
      const text = args[flagOf(span, unit)];
      return typeof text === "string" ? [[unit, readCeiling(`--${flagOf(span, unit)}`, unit, text)] as const] : [];
    });
    return [span, ceilings] as const;
  });
  return Object.fromEntries(
    given.filter(([, ceilings]) => ceilings.length > 0).map(([span, ceilings]) => [span, Object.fromEntries(ceilings)]),
  );
}

function flagOf(span: Span, unit: Unit): string {
  return `${span}-${unit}`;
}

function readCeiling(flag: string, unit: Unit, text: string): number {
  const isMoney = unit === "dollars";
  const number = (isMoney ? /^\d{1,7}(\.\d{1,4})?$/ : /^\d{1,13}$/).test(text) ? Number(text) : Number.NaN;
  const max = isMoney ? MAX_DOLLARS : MAX_COUNT;
  if (number > 0 && number <= max) return number;
  const must = isMoney ? `an amount of dollars up to ${max}, such as 2.50` : `a whole number from 1 to ${max}`;
  throw new CommandFailure(2, `${flag} must be ${must}, not ${JSON.stringify(text)}.`);
}
