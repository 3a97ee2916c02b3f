import type { RequestRecord } from "../events/channels.js";
import { dayText } from "../ledger/index.js";
import { type Ceiling, MAX_COUNT, MAX_DOLLARS, nameOf, RESULTS_SHARE, type Unit } from "./limits.js";
import type { Spent } from "./spend-counters.js";

/** A ceiling, what was taken of it, and who asks. The client has the name of the key, where the ceiling is the key's. */
export interface Reading {
  readonly ceiling: Ceiling;
  readonly spent: Spent;
  readonly record: Pick<RequestRecord, "thread" | "client" | "leaseEndsMs">;
}

/** What a refused client is told: which limit, how much, until when, and what lets it go on. */
export function refusalText(reading: Reading): string {
  const { ceiling, spent } = reading;
  const end =
    spent.endsMs === undefined
      ? "It does not end by itself: start a new conversation with other words (those that begin with the same words are one), or let this one go on with"
      : `It ends at ${timeText(spent.endsMs)}. To raise it before`;
  const used = usedText(ceiling.unit, spent, ceiling.max);
  return `${whose(reading)} is reached: ${used}.${waitText(reading.record.leaseEndsMs)} ${end}: ${howToRaise(reading)}`;
}

/** What the holder of a key is told about a limit of the whole gateway. */
export function withoutFigures(limit: string, isReached: boolean, { leaseEndsMs }: Reading["record"]): string {
  const state = isReached ? `reached.${waitText(leaseEndsMs)}` : "near.";
  return `The limit ${limit} of this gateway is ${state} Its owner can raise it, and sees how much is used.`;
}

/** What becomes of a run whose results are refused. */
export function waitText(leaseEndsMs: number | undefined): string {
  if (leaseEndsMs === undefined) return "";
  return ` Nothing is lost: the run waits for its results until ${timeText(leaseEndsMs)}, and the same request continues it once the limit is raised; later it resumes from its last state.`;
}

export function warningText(reading: Reading): string {
  const { ceiling, spent } = reading;
  const used = usedText(ceiling.unit, spent, ceiling.max);
  if (ceiling.of === "default") {
    return `The usual ${ceiling.span === "conversation" ? "conversation takes" : `${ceiling.span} of work takes`} far less than this: ${used} (the default limit ${nameOf(ceiling)}, which only warns). To set your own: ${howToSet(reading)}`;
  }
  const until = spent.endsMs === undefined ? "" : ` until ${timeText(spent.endsMs)}`;
  if (spent[ceiling.unit] >= ceiling.max) {
    const last = amountText(ceiling.unit, ceiling.max * RESULTS_SHARE);
    return `${whose(reading)} is reached: ${used}. Results of tools are let through up to ${last}, and then refused${until}. To raise it: ${howToRaise(reading)}`;
  }
  return `${whose(reading)} is near: ${used}. Beyond it, requests are refused${until}. To raise it: ${howToRaise(reading)}`;
}

/** What a client is told whose model has no price, or whose window has tokens without one. */
export function unpricedText(reading: Reading, model: string | undefined): string {
  const tokens = amountText("tokens", reading.spent.unpricedTokens);
  const which = model === undefined ? "" : ` ${model} has none.`;
  return `${whose(reading)} does not count tokens of models without a price: ${tokens} so far.${which} Set a limit in tokens as well, or give the model a price in the setting prices.`;
}

/** `2026-11-17 00:00`, in the machine's time zone. */
export function timeText(ms: number): string {
  const at = new Date(ms);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${dayText(ms)} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function amountText(unit: Unit, amount: number): string {
  if (unit === "dollars") return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
  return Math.round(amount).toLocaleString("en");
}

function whose({ ceiling, record }: Reading): string {
  const { of, span, unit } = ceiling;
  return of === "key" ? `The limit ${span}.${unit} of the key ${record.client}` : `The limit ${nameOf(ceiling)}`;
}

function usedText(unit: Unit, spent: Spent, max: number): string {
  const noun = unit === "dollars" ? "" : ` ${unit}`;
  return `${amountText(unit, spent[unit])} of ${amountText(unit, max)}${noun} are used`;
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
