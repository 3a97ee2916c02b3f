import { bytesText, shortId, some, wholeCount } from "@curlew/gateway/system/format.js";
import { harmlessLine } from "@curlew/gateway/system/shown-on.js";
import { type CountedTokens, continuityText } from "@curlew/meter/ledger/index.js";
import { durationText, type Paragraph } from "@curlew/meter/why/index.js";
import { exactClockText } from "../../terminal/moments.js";
import type { Colors } from "../../terminal/print.js";
import { listing, type Row, wrap } from "../../terminal/table.js";
import { drawTimeline, type TimedRequest } from "./timeline.js";

const WIDTH = 100;

interface Style {
  readonly colors: Colors;
  /** Width of the timeline; undefined for none. */
  readonly columns: number | undefined;
}

interface Request {
  readonly request: TimedRequest;
  readonly turn: readonly TimedRequest[];
  readonly why: readonly Paragraph[];
}

/** Everything in the ledger about one request, the timeline of its turn, and what made it cold, expensive or slow. */
export function describeRequest({ request, turn, why }: Request, style: Style): string {
  const { colors, columns } = style;
  const { dim, bold } = colors;
  const rows = [...identity(request, turn), ...costs(request, turn), ...decisions(request, style)];
  const moments = turn.map((each): Row => [shortId(each.entry.id), momentsText(each)]);
  return [
    `${bold(request.entry.id)}\n`,
    listing(rows, 10, dim),
    `\n${bold(turn.length === 1 ? "Timeline" : "Timeline of the turn")}\n`,
    columns === undefined ? "" : drawTimeline(turn, columns, colors),
    listing(moments, 10, dim),
    `\n${[bold("Why"), ...why.map((each) => paragraphText(each, colors))].join("\n\n")}\n`,
  ].join("");
}

function paragraphText({ what, advice }: Paragraph, { cyan }: Colors): string {
  const action = advice === null ? [] : wrap(`→ ${harmlessLine(advice)}`, WIDTH).map(cyan);
  return [...wrap(harmlessLine(what), WIDTH), ...action].join("\n");
}

function identity({ entry, detail }: TimedRequest, turn: readonly TimedRequest[]): Row[] {
  const { atMs, client, model, dialect, backend, thread, totalMs } = entry;
  const asked =
    detail !== undefined && detail.askedModel !== model ? `, asked for as ${harmlessLine(detail.askedModel)}` : "";
  const { userAgent = "" } = detail ?? {};
  const program = userAgent === "" || userAgent === client ? "" : `, as ${harmlessLine(userAgent)}`;
  const how = detail === undefined ? "" : detail.stream ? ", streamed" : ", not streamed";
  const place = turn.findIndex((each) => each.entry.id === entry.id) + 1;
  return [
    ["received", `${exactClockText(atMs)}${totalMs === null ? "" : `, took ${durationText(totalMs)}`}`],
    ["client", `${harmlessLine(client) || "unknown"}${program}`],
    ["model", `${harmlessLine(model)}${asked}`],
    ["dialect", `${harmlessLine(dialect)}${how}`],
    ["backend", backend === null ? null : harmlessLine(backend)],
    ["conversation", thread === null ? null : harmlessLine(thread)],
    ["turn", turn.length === 1 ? null : `request ${place} of ${turn.length}`],
  ];
}

function costs({ entry, detail }: TimedRequest, turn: readonly TimedRequest[]): Row[] {
  const { runs, retries, sentBytes, receivedBytes, context, toolRounds } = entry;
  const booked = turn.findLast((each) => each.entry.tokens !== null)?.entry.tokens ?? null;
  const ran = `${some(runs, "run")}, ${some(retries, "retry", "retries")}`;
  const sizes = detail && `request ${bytesText(detail.bodyBytes)}, reply ${bytesText(detail.replyBytes)}`;
  return [
    ["context", context === null ? null : tokensText(context)],
    ["turn took", booked === null ? null : tokensText(booked)],
    ["upstream", `${ran}, ${bytesText(sentBytes)} out, ${bytesText(receivedBytes)} in`],
    ["tools", toolRounds === 0 ? null : some(toolRounds, "round")],
    ["sizes", sizes ?? null],
  ];
}

function decisions({ entry, detail }: TimedRequest, { colors }: Style): Row[] {
  const { outcome, message, sentAgainTokens } = entry;
  const again = sentAgainTokens === 0 ? "" : `, about ${wholeCount(sentAgainTokens)} tokens sent again`;
  const status = detail?.status == null ? "" : ` (status ${detail.status})`;
  const words = `${harmlessLine(outcome)}${status}${message === null ? "" : `: ${harmlessLine(message)}`}`;
  return [
    ["continuity", entry.continuity === null ? null : `${harmlessLine(continuityText(entry))}${again}`],
    ["outcome", outcome === "ok" ? words : colors.red(words)],
    ["joined", detail?.joined == null ? null : harmlessLine(detail.joined)],
    ...(detail?.warnings ?? []).map((warning): Row => ["warning", colors.yellow(harmlessLine(warning))]),
    ["asked", detail?.texts == null ? null : harmlessLine(detail.texts.asked)],
    ["answered", detail?.texts == null ? null : harmlessLine(detail.texts.answered)],
  ];
}

function momentsText({ entry, detail }: TimedRequest): string {
  const { firstByteMs, totalMs } = entry;
  const at = (name: string, ms: number | null | undefined) => (ms == null ? [] : [`${name} ${durationText(ms)}`]);
  const pauses = (detail?.pauses ?? []).map(
    ({ startedMs, endedMs, calls }) =>
      `Curlew's tools ${durationText(startedMs)} to ${durationText(endedMs)} (${some(calls, "call")})`,
  );
  const calls = detail?.clientCalls ?? 0;
  return [
    `received ${exactClockText(entry.atMs).slice(11)}`,
    ...at("with results after tools of", Math.max(0, detail?.clientToolsMs ?? 0) || null),
    ...at("planned", detail?.plannedMs),
    ...at(entry.runs === 0 ? "run resumed" : "run opened", detail?.openedMs),
    ...at("first byte", firstByteMs),
    ...pauses,
    ...at(calls > 0 ? `ended with ${some(calls, "tool call")}` : "ended", totalMs),
  ].join(", ");
}

function tokensText({ input, output, cacheRead, reasoning, estimated }: CountedTokens): string {
  const thinking = reasoning === 0 ? "" : ` (${wholeCount(reasoning)} thinking)`;
  const text = `${some(input, "token")} in, ${wholeCount(cacheRead)} cached, ${wholeCount(output)} out${thinking}`;
  return estimated ? `${text}; estimated` : text;
}
