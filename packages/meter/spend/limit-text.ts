import { clockTime, dollars, wholeCount } from "@curlew/gateway/system/format.js";
import type { RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { dayText } from "../ledger/index.js";
import { type Ceiling, MAX_COUNT, MAX_DOLLARS, nameOf, RESULTS_SHARE, type Unit } from "./limits.js";
import type { Spent } from "./spend-counters.js";

/** A ceiling, its usage and the request. For a key's ceiling, `record.client` is the name of the key. */
export interface Reading {
  readonly ceiling: Ceiling;
  readonly spent: Spent;
  readonly record: Pick<RequestRecord, "thread" | "client" | "leaseEndsMs">;
}

/** Error text for a refused client: which limit, its usage, when it resets and how to raise it. */
export function refusalText(reading: Reading): string {
  const { ceiling, spent } = reading;
  const end =
    spent.endsMs === undefined
      ? "It does not reset. Start a new conversation with a different first message, or raise it"
      : `It resets at ${timeText(spent.endsMs)}. To raise it now`;
  const used = usedText(ceiling.unit, spent, ceiling.max);
  return `${whose(reading)} is reached: ${used}.${waitText(reading.record.leaseEndsMs)} ${end}: ${howToRaise(reading)}`;
}

/** Text about a gateway-wide limit for the holder of a key, without figures. */
export function withoutFigures(limit: string, isReached: boolean, { leaseEndsMs }: Reading["record"]): string {
  const state = isReached ? `reached.${waitText(leaseEndsMs)}` : "near.";
  return `The limit ${limit} of this gateway is ${state} Its owner can raise it and see how much is used.`;
}

/** Explains that a run whose results are refused is not lost. */
export function waitText(leaseEndsMs: number | undefined): string {
  if (leaseEndsMs === undefined) return "";
  return ` Nothing is lost: the run waits for its results until ${timeText(leaseEndsMs)}. Once the limit is raised, the same request continues it; after that time, it resumes from its last state.`;
}

export function warningText(reading: Reading): string {
  const { ceiling, spent } = reading;
  const used = usedText(ceiling.unit, spent, ceiling.max);
  if (ceiling.of === "default") {
    return `Unusually high usage in this ${ceiling.span}: ${used} (the default limit ${nameOf(ceiling)}, which only warns). To set your own: ${howToSet(reading)}`;
  }
  const until = spent.endsMs === undefined ? "" : ` until ${timeText(spent.endsMs)}`;
  if (spent[ceiling.unit] >= ceiling.max) {
    const last = amountText(ceiling.unit, ceiling.max * RESULTS_SHARE);
    return `${whose(reading)} is reached: ${used}. Tool results are accepted up to ${last}, then refused${until}. To raise it: ${howToRaise(reading)}`;
  }
  return `${whose(reading)} is near: ${used}. Beyond it, requests are refused${until}. To raise it: ${howToRaise(reading)}`;
}

/** Warning that a limit in dollars misses tokens: of this model without a price, or of earlier ones. */
export function unpricedText(reading: Reading, model: string | undefined): string {
  const tokens = amountText("tokens", reading.spent.unpricedTokens);
  const which = model === undefined ? "" : ` ${model} has no price.`;
  return `${whose(reading)} does not count tokens of models without a price: ${tokens} so far.${which} Set a limit in tokens as well, or add a price for the model to the setting prices.`;
}

/** `2026-11-17 00:00`, in the machine's time zone. */
export function timeText(ms: number): string {
  return `${dayText(ms)} ${clockTime(ms).slice(0, 5)}`;
}

export function amountText(unit: Unit, amount: number): string {
  return unit === "dollars" ? dollars(amount) : wholeCount(amount);
}

function whose({ ceiling, record }: Reading): string {
  const { of, span, unit } = ceiling;
  return of === "key" ? `The limit ${span}.${unit} of the key ${record.client}` : `The limit ${nameOf(ceiling)}`;
}

function usedText(unit: Unit, spent: Spent, max: number): string {
  const noun = unit === "dollars" ? "" : ` ${unit}`;
  return `${amountText(unit, spent[unit])} of ${amountText(unit, max)}${noun} used`;
}

function howToRaise(reading: Reading): string {
  const { ceiling, record } = reading;
  const { of, span, unit } = ceiling;
  if (span === "conversation") return `curlew limits allow ${record.thread}`;
  return of === "key" ? `curlew keys limit ${record.client} --${span}-${unit} ${higher(reading)}` : howToSet(reading);
}

function howToSet(reading: Reading): string {
  const { span, unit } = reading.ceiling;
  return `curlew limits set ${span}.${unit} ${higher(reading)}`;
}

/** Suggests a limit that lets work continue: twice the current one, or, if more is used, twice the usage, rounded up. */
function higher({ ceiling: { unit, max }, spent }: Reading): number {
  const used = spent[unit];
  if (unit === "dollars") return Math.min(used > max ? roundUp(200 * used) / 100 : 2 * max, MAX_DOLLARS);
  return Math.min(used > max ? roundUp(2 * used) : 2 * max, MAX_COUNT);
}

/** Rounds up to a whole number with two significant digits. */
function roundUp(amount: number): number {
  const whole = Math.ceil(amount);
  const place = 10 ** Math.max(0, String(whole).length - 2);
  return Math.ceil(whole / place) * place;
}
