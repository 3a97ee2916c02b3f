import { clockTime, shortCount, shortId } from "@curlew/gateway/system/format.js";
import { harmlessLine } from "@curlew/gateway/system/shown-on.js";
import { type CountedTokens, continuityText, type LedgerEntry } from "@curlew/meter/ledger/entry.js";
import { clockText, roundedTimeText } from "./moments.js";
import type { Colors, Paint } from "./print.js";
import { fitted, indented, type Piece } from "./table.js";

type Told =
  | "id"
  | "atMs"
  | "client"
  | "side"
  | "continuity"
  | "cacheMiss"
  | "sentAgainTokens"
  | "firstByteMs"
  | "totalMs"
  | "message";

export interface ShownRequest extends Pick<LedgerEntry, Told> {
  /** The model, or the route of a request that asked for none. */
  readonly model: string;
  readonly tokens: Pick<CountedTokens, "input" | "cacheRead" | "output" | "estimated"> | null;
  /** The outcome if not a complete reply, such as `warning 404`; null if all is well. */
  readonly verdict: Verdict | null;
}

interface Verdict {
  readonly level: "info" | "warn" | "error";
  readonly text: string;
}

interface Style {
  readonly colors: Colors;
  readonly columns: () => number | undefined;
  readonly hasDay: boolean;
}

const GAP = "  ";
const MAX_NAME = 24;
const MAX_MESSAGE = 600;
/** Narrower terminals get no word "cached" and few ids. */
const ROOMY_COLUMNS = 100;
/** Narrower terminals get no time of the first byte. */
const WIDE_COLUMNS = 120;
/** The columns beside client and model on a narrow terminal: `14:03:22`, `12.3k in  97%   850 out`, `1.2 s`, `cold: new`. */
const OTHER_COLUMNS = 55;

/** `14:03:22  opencode  composer-2.5  12.3k in  97% cached   850 out   1.2 s  warm  3f2a9c01`; columns grow, and keep their width. */
export function createRequestLines(style: Style): (request: ShownRequest) => string {
  const { colors, columns: currentColumns, hasDay } = style;
  let clientWidth = 8;
  let modelWidth = 12;
  const names = ({ client, model }: ShownRequest, columns = 2 * MAX_NAME + OTHER_COLUMNS): Piece[] => {
    const room = Math.max(20, columns - OTHER_COLUMNS);
    const maxClient = Math.min(MAX_NAME, Math.floor(room * 0.4));
    const maxModel = Math.min(MAX_NAME, room - maxClient);
    const name = harmlessLine(client, maxClient) || "-";
    const shownModel = endOf(harmlessLine(model) || "-", maxModel);
    clientWidth = Math.min(maxClient, Math.max(clientWidth, name.length));
    modelWidth = Math.min(maxModel, Math.max(modelWidth, shownModel.length));
    return [{ text: name.padEnd(clientWidth) }, { text: shownModel.padEnd(modelWidth), paint: colors.bold }];
  };
  return (request) => {
    const columns = currentColumns();
    const isRoomy = columns === undefined || columns >= ROOMY_COLUMNS;
    const time = hasDay ? clockText(request.atMs) : clockTime(request.atMs);
    const { verdict, message, totalMs } = request;
    // In a narrow live view, only failures need an id.
    const hasId = isRoomy || hasDay || verdict !== null;
    const paint = levelPaint(verdict?.level ?? "info", colors);
    const inPlaceOfTokens = { text: (verdict?.text ?? "").padEnd(tokenWidths(isRoomy).all), paint };
    const pieces = [
      { text: time, paint: colors.dim },
      ...names(request, columns),
      ...(verdict === null ? tokenPieces(request.tokens, isRoomy, colors) : [inPlaceOfTokens]),
      { text: totalMs === null ? "" : roundedTimeText(totalMs).padStart(6) },
      ...(verdict === null ? statePieces(request, columns, colors) : []),
      ...firstBytePieces(request, columns, colors),
      { text: hasId ? shortId(harmlessLine(request.id, MAX_NAME)) : "", paint: colors.dim },
    ].filter(({ text }) => text !== "");
    const width = { columns, indent: time.length + GAP.length };
    const line = fitted(pieces, GAP, width);
    if (message === null) return line;
    return `${line}${indented(harmlessLine(message, MAX_MESSAGE), paint, width)}`;
  };
}

/** The end of the name of a model or a route says more than its beginning: `…opus-4-8-high`, `…/completions`. */
function endOf(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name;
  const end = name.slice(1 - maxLength);
  const slashAt = name.includes(" /") ? end.lastIndexOf("/") : -1;
  return `…${slashAt < 0 ? end : end.slice(slashAt)}`;
}

function tokenWidths(isRoomy: boolean) {
  const [input, cached, output, gap] = isRoomy ? [8, 11, 9, GAP] : [8, 4, 8, " "];
  return { input, cached, output, gap, all: input + cached + output + 2 * gap.length };
}

function tokenPieces(tokens: ShownRequest["tokens"], isRoomy: boolean, { dim }: Colors): Piece[] {
  const widths = tokenWidths(isRoomy);
  if (tokens === null) return [{ text: " ".repeat(widths.all) }];
  const { input, cacheRead, output, estimated } = tokens;
  const count = (number: number) => `${estimated ? "~" : ""}${shortCount(number)}`;
  const percent = `${input === 0 ? 0 : Math.floor((cacheRead / input) * 100)}%${isRoomy ? " cached" : ""}`;
  const cached = `${widths.gap}${percent.padStart(widths.cached)}${widths.gap}`;
  return [
    {
      text: `${`${count(input)} in`.padStart(widths.input)}${cached}${`${count(output)} out`.padStart(widths.output)}`,
      paint: (text) => text.replace(percent, () => dim(percent)),
    },
  ];
}

function firstBytePieces(request: ShownRequest, columns = WIDE_COLUMNS, { dim }: Colors): Piece[] {
  const { firstByteMs, verdict, tokens } = request;
  if (firstByteMs === null || tokens === null || verdict !== null || columns < WIDE_COLUMNS) return [];
  return [{ text: `first ${roundedTimeText(firstByteMs)}`, paint: dim }];
}

/** Warm or cold, and why. Of what a client sent by itself, narrower terminals say only that. */
function statePieces(request: ShownRequest, columns = WIDE_COLUMNS, { green, yellow, dim }: Colors): Piece[] {
  const isShort = request.side !== null && columns < WIDE_COLUMNS;
  const text = isShort ? `(${request.side})` : harmlessLine(continuityText(request));
  if (text === "") return [];
  const isCold = request.continuity?.startsWith("cold") === true;
  if (isCold) return [{ text, paint: request.sentAgainTokens > 0 ? yellow : dim }];
  return [{ text, paint: request.cacheMiss === null ? green : yellow }];
}

export function levelPaint(level: Verdict["level"], { red, yellow, dim }: Colors): Paint {
  return { info: dim, warn: yellow, error: red }[level];
}
