import { type CountedTokens, continuityText, isFailure, type LedgerEntry } from "../../ledger/index.js";
import type { Colors } from "../line/colors.js";
import { harmless } from "../terminal/harmless.js";
import { alignedLine, columnWidths } from "../terminal/table.js";
import { clockText, secondsText, shortId } from "./moments.js";

const MAX_NAME = 24;
const MAX_MESSAGE = 400;

const head = ["TIME", "CLIENT", "MODEL", "INPUT", "CACHED", "OUTPUT", "CONTINUITY", "FIRST", "TOTAL", "OUTCOME", "ID"];
const right: readonly number[] = [3, 4, 5, 7, 8];
/** Most requests fit into these, so that the columns hold when more requests follow. */
const usual = [
  "11-16 14:03:22",
  "opencode",
  "composer-2.5",
  "~123.4k",
  "100%",
  "~12.3k",
  "warm",
  "12.3s",
  "12m 30s",
  "ok",
  "",
];

/** The journal, one line for each request. Later lines keep the columns of the first ones. */
export class RequestLines {
  readonly #colors: Colors;
  #widths: readonly number[] = [];

  constructor(colors: Colors) {
    this.#colors = colors;
  }

  /** The head, and the requests that are known by now. */
  begin(entries: readonly LedgerEntry[]): string {
    this.#widths = columnWidths([head, usual, ...entries.map(cellsOf)]);
    return `${this.#colors.dim(alignedLine(head, this.#widths, right))}\n${entries.map((each) => this.line(each)).join("")}`;
  }

  line(entry: LedgerEntry): string {
    const { red, green, yellow, dim } = this.#colors;
    const text = alignedLine(cellsOf(entry), this.#widths, right);
    const { outcome, message } = entry;
    if (isFailure(outcome)) {
      return `${red(text)}\n${message === null ? "" : `  ${red(harmless(message, MAX_MESSAGE))}\n`}`;
    }
    if (outcome !== "ok") return `${yellow(text)}\n`;
    const shown = harmless(continuityText(entry));
    const isCold = entry.continuity?.startsWith("cold") === true;
    const color = !isCold ? (entry.cacheMiss === null ? green : yellow) : entry.sentAgainTokens > 0 ? yellow : dim;
    return `${shown === "" ? text : text.replace(`  ${shown}`, () => `  ${color(shown)}`)}\n`;
  }
}

function cellsOf(entry: LedgerEntry): string[] {
  const { id, atMs, client, model, firstByteMs, totalMs, outcome } = entry;
  const tokens = entry.tokens ?? entry.context;
  return [
    clockText(atMs),
    harmless(client, MAX_NAME) || "-",
    harmless(model, MAX_NAME) || "-",
    tokens === null ? "-" : counted(tokens, tokens.input),
    tokens === null || tokens.input === 0 ? "-" : `${Math.floor((tokens.cacheRead / tokens.input) * 100)}%`,
    tokens === null ? "-" : counted(tokens, tokens.output),
    harmless(continuityText(entry)) || "-",
    firstByteMs === null ? "-" : secondsText(firstByteMs),
    totalMs === null ? "-" : secondsText(totalMs),
    harmless(outcome, MAX_NAME),
    shortId(id),
  ];
}

function counted({ estimated }: CountedTokens, count: number): string {
  return `${estimated ? "~" : ""}${short(count)}`;
}

/** 12345 is 12.3k. */
function short(count: number): string {
  if (count < 1_000) return String(count);
  return count < 999_950 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(2)}M`;
}
