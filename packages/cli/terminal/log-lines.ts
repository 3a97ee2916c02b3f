import { clockTime, shortId } from "@curlew/gateway/system/format.js";
import { harmlessLine, harmlessText } from "@curlew/gateway/system/shown-on.js";
import { isObject, type JsonObject, parseJson, textField } from "@curlew/gateway/turn/read-json.js";
import { sideRequests } from "@curlew/gateway/turn/side-request.js";
import { roundedTimeText } from "./moments.js";
import { type Colors, createColors } from "./print.js";
import { createRequestLines, levelPaint, type ShownRequest } from "./request-line.js";
import { fitted } from "./table.js";

const wordy = ["warning", "reason", "problem", "notice", "misfit", "fix", "text"];
const MAX_WORDS = 1_000;
const MAX_STACK = 4_000;
/** The time, and the gap after it. */
const INDENT = 10;

interface LineOptions {
  readonly colors?: Colors | undefined;
  readonly columns: () => number | undefined;
}

/** Formats the log's JSON lines for people. Other lines, such as a service's plain output, keep their text. */
export function createLogLines({ colors = createColors(false), columns }: LineOptions): (json: string) => string {
  const requestLine = createRequestLines({ colors, columns, hasDay: false });
  return (json) => {
    const fields = parseJson(json);
    if (!isObject(fields) || typeof fields.msg !== "string") return harmlessText(json);
    if (fields.msg === "request") return requestLine(toRequest(fields));
    return eventLine(fields, colors, columns());
  };
}

function toRequest(fields: JsonObject): ShownRequest {
  const input = numberOf(fields.inputTokens);
  const counts = { cacheRead: numberOf(fields.cachedTokens) ?? 0, output: numberOf(fields.outputTokens) ?? 0 };
  return {
    id: textField(fields, "requestId"),
    atMs: Date.parse(textField(fields, "time")),
    client: textField(fields, "client"),
    model: textField(fields, "model") || textField(fields, "route"),
    tokens: input === undefined ? null : { input, ...counts, estimated: fields.estimated === true },
    side: sideRequests.find((side) => side === fields.side) ?? null,
    continuity: textField(fields, "continuity") || null,
    cacheMiss: textField(fields, "cacheMiss") || null,
    sentAgainTokens: numberOf(fields.sentAgainTokens) ?? 0,
    firstByteMs: numberOf(fields.firstByteMs) ?? null,
    totalMs: numberOf(fields.totalMs) ?? null,
    verdict: verdictOf(fields),
    message: textField(fields, "error") || null,
  };
}

function verdictOf({ level, status, outcome }: JsonObject): ShownRequest["verdict"] {
  if (outcome === "client-left") return { level: "info", text: "canceled by the client" };
  if (level !== "warn" && level !== "error") return null;
  const word = level === "warn" ? "warning" : "error";
  // Once a reply has begun, its status can no longer report a failure.
  const isCut = typeof status === "number" && status < 400;
  return { level, text: isCut ? `${word}, cut off` : `${word} ${String(status)}` };
}

/** `14:03:22  warning  MCP server failed: it cannot be started (server files)` */
function eventLine(fields: JsonObject, colors: Colors, columns: number | undefined): string {
  const { level, time, msg, err, requestId, ...rest } = fields;
  const entries = Object.entries(rest);
  const words = entries.filter(([name]) => wordy.includes(name)).map(([, value]) => valueText(value));
  const cause = isObject(err) ? [textField(err, "message")] : [];
  const amounts = entries.filter(([name]) => !wordy.includes(name)).map(([name, value]) => amountText(name, value));
  const sentence = [textField(fields, "msg"), ...cause, ...words].filter((part) => part !== "").join(": ");
  const whole = `${sentence}${amounts.length === 0 ? "" : ` (${amounts.join(", ")})`}`;
  const known = level === "warn" || level === "error" ? level : "info";
  const paint = levelPaint(known, colors);
  const mark = { info: level === "info" ? "" : textField(fields, "level"), warn: "warning", error: "error" }[known];
  const pieces = [
    { text: `${clockTime(Date.parse(textField(fields, "time")))} `, paint: colors.dim },
    ...(mark === "" ? [] : [{ text: `${mark} `, paint }]),
    ...harmlessLine(whole, MAX_WORDS)
      .split(" ")
      .map((text) => ({ text })),
    ...(requestId === undefined
      ? []
      : [{ text: shortId(harmlessLine(textField(fields, "requestId"))), paint: colors.dim }]),
  ];
  const stack = isObject(err) && known === "error" ? stackLines(textField(err, "stack"), colors) : "";
  return `${fitted(pieces, " ", { columns, indent: INDENT })}${stack}`;
}

/** The stack of an internal error, for bug reports. */
function stackLines(stack: string, { dim }: Colors): string {
  const lines = harmlessText(stack.slice(0, MAX_STACK)).split("\n").slice(1);
  return lines.map((line) => `${dim(`${" ".repeat(INDENT)}${line.trim()}`)}\n`).join("");
}

/** `delayMs: 1123.69` is `delay 1.1 s`. */
function amountText(name: string, value: unknown): string {
  if (name === "code") return valueText(value);
  const spaced = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (name.endsWith("Ms") && typeof value === "number") return `${spaced.slice(0, -3)} ${roundedTimeText(value)}`;
  return `${spaced} ${valueText(value)}`;
}

function valueText(value: unknown): string {
  if (typeof value === "number" && !Number.isInteger(value)) return value.toFixed(1);
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
