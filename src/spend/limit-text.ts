import { type Ceiling, nameOf } from "./ceilings.js";
import { MAX_COUNT, MAX_DOLLARS, type Unit } from "./limits.js";
import type { Spent } from "./spent.js";
import { timeText } from "./windows.js";

/** A ceiling, and what was taken of it by whom. */
export interface Reading {
  readonly ceiling: Ceiling;
  readonly spent: Spent;
  readonly thread: string;
  /** The name of the key, where the ceiling is the key's. */
  readonly client: string;
}

/** What a refused client is told: which limit, how much, until when, and what lets it go on. */
export function refusalText(reading: Reading): string {
  const { ceiling, spent } = reading;
  const end =
    spent.endsMs === undefined
      ? "It does not end by itself: start a new conversation with other words (those that begin with the same words are one), or let this one go on with"
      : `It ends at ${timeText(spent.endsMs)}. To raise it before`;
  return `${whose(reading)} is reached: ${usedText(ceiling.unit, spent, ceiling.max)}. ${end}: ${howToRaise(reading)}`;
}

export function warningText(reading: Reading): string {
  const { ceiling, spent } = reading;
  const used = usedText(ceiling.unit, spent, ceiling.max);
  if (ceiling.of === "default") {
    return `The usual ${ceiling.span === "conversation" ? "conversation takes" : `${ceiling.span} of work takes`} far less than this: ${used} (the default limit ${nameOf(ceiling)}, which only warns). To set your own: ${howToSet(reading)}`;
  }
  const until = spent.endsMs === undefined ? "" : ` until ${timeText(spent.endsMs)}`;
  return `${whose(reading)} is near: ${used}. Beyond it, requests are refused${until}. To raise it: ${howToRaise(reading)}`;
}

export function amountText(unit: Unit, amount: number): string {
  return unit === "dollars" ? `$${amount.toFixed(2)}` : Math.round(amount).toLocaleString("en");
}

function whose({ ceiling, client }: Reading): string {
  const { of, span, unit } = ceiling;
  return of === "key" ? `The limit ${span}.${unit} of the key ${client}` : `The limit ${nameOf(ceiling)}`;
}

function usedText(unit: Unit, spent: Spent, max: number): string {
  const noun = unit === "dollars" ? "" : ` ${unit}`;
  return `${amountText(unit, spent[unit])} of ${amountText(unit, max)}${noun} are used`;
}

function howToRaise(reading: Reading): string {
  const { ceiling, thread, client } = reading;
  const { of, span, unit } = ceiling;
  if (span === "conversation") return `curlew limits allow ${thread}`;
  return of === "key" ? `curlew keys limit ${client} --${span}-${unit} ${higher(reading)}` : howToSet(reading);
}

function howToSet(reading: Reading): string {
  const { span, unit } = reading.ceiling;
  return `curlew limits set ${span}.${unit} ${higher(reading)}`;
}

/** A limit under which work can go on: twice the present one, or twice what is used and then some, to be a round number. */
function higher({ ceiling: { unit, max }, spent }: Reading): number {
  const used = spent[unit];
  if (unit === "dollars") return Math.min(used > max ? roundUp(200 * used) / 100 : 2 * max, MAX_DOLLARS);
  return Math.min(used > max ? roundUp(2 * used) : 2 * max, MAX_COUNT);
}

/** A whole number with two digits that count. */
function roundUp(amount: number): number {
  const whole = Math.ceil(amount);
  const place = 10 ** Math.max(0, String(whole).length - 2);
  return Math.ceil(whole / place) * place;
}
