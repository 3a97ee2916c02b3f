import { registeredBackends } from "@curlew/gateway/backends/registry.js";
import { keptModels, shownName } from "@curlew/gateway/models/index.js";
import {
  type KeyLimits,
  MAX_COUNT,
  MAX_DOLLARS,
  type Span,
  spans,
  type Unit,
  units,
} from "@curlew/meter/keys/index.js";
import { createPrices } from "@curlew/meter/prices/prices.js";
import { modelsFile } from "../../app/prepare/own-files.js";
import type { Settings } from "../../config/settings.js";
import type { Output } from "../../terminal/command-machine.js";
import { CommandFailure } from "../../terminal/print.js";
import { folded } from "../../terminal/table.js";
import type { Given } from "../line/definition.js";

const NONE = "none";

const within: Readonly<Record<Span, string>> = {
  hour: "in an hour",
  day: "in a day",
  conversation: "in one conversation",
};

export const limitArgs = Object.fromEntries(
  spans.flatMap((span) =>
    units.map((unit) => {
      const description = `Most ${unit} ${within[span]}, or ${NONE}`;
      const use = span === "conversation" ? ("rare" as const) : ("common" as const);
      return [flagOf(span, unit), { type: "string" as const, use, description, valueHint: unit }] as const;
    }),
  ),
);

export function namesLimits(args: Given): boolean {
  return Object.keys(limitArgs).some((flag) => typeof args[flag] === "string");
}

export function setsDollars(args: Given): boolean {
  return spans.some((span) => (args[flagOf(span, "dollars")] ?? NONE) !== NONE);
}

/** The limits with the flags applied. @throws {CommandFailure} A limit is not a number, or out of bounds. */
export function changedLimits(before: KeyLimits, args: Given): KeyLimits {
  const changed = spans.flatMap((span) => {
    const ceilings = units.flatMap((unit) => {
      const text = args[flagOf(span, unit)];
      const max = typeof text === "string" ? readCeiling(flagOf(span, unit), unit, text) : before[span]?.[unit];
      return max === undefined ? [] : [[unit, max] as const];
    });
    return ceilings.length === 0 ? [] : [[span, Object.fromEntries(ceilings)] as const];
  });
  return Object.fromEntries(changed);
}

function flagOf(span: Span, unit: Unit): string {
  return `${span}-${unit}`;
}

function readCeiling(flag: string, unit: Unit, text: string): number | undefined {
  if (text === NONE) return undefined;
  const isMoney = unit === "dollars";
  const number = (isMoney ? /^\d{1,7}(\.\d{1,4})?$/ : /^\d{1,13}$/).test(text) ? Number(text) : Number.NaN;
  const max = isMoney ? MAX_DOLLARS : MAX_COUNT;
  if (number > 0 && number <= max) return number;
  const must = isMoney ? `an amount of dollars up to ${max}, such as 2.50` : `a whole number from 1 to ${max}`;
  throw new CommandFailure(2, `--${flag} must be ${must}, or ${NONE}, not ${JSON.stringify(text)}.`);
}

export function noteUnpriced(settings: Settings, stderr: Output): void {
  const { priceOf } = createPrices(settings.prices);
  const names = registeredBackends.flatMap((name) => keptModels(modelsFile(settings, name)).map(shownName));
  const unpriced = [...new Set(names)].filter((name) => priceOf(name) === undefined);
  const known = unpriced.length === 0 ? "" : `: ${unpriced.join(", ")}`;
  const said = `A limit in dollars does not count models without a price${known}. Set one in tokens as well, or add their prices to the setting prices.\n`;
  stderr.write(folded(stderr, said));
}
