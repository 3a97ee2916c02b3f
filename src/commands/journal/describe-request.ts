import { type CountedTokens, continuityText } from "../../ledger/index.js";
import { exactClockText, shortId } from "../../ops/lines/index.js";
import { countText, durationText, some } from "../../why/index.js";
import type { Colors } from "../line/colors.js";
import { harmless } from "../terminal/harmless.js";
import { listing, type Row } from "../terminal/table.js";
import { drawTimeline, type TimedRequest } from "./timeline.js";

interface Style {
  readonly colors: Colors;
  /** How wide a timeline may be; undefined where none is drawn. */
  readonly columns: number | undefined;
}

/** All that the ledger has about one request, and the timeline of its turn. */
export function describeRequest(request: TimedRequest, turn: readonly TimedRequest[], style: Style): string {
  const { colors, columns } = style;
  const { dim, bold } = colors;
  const rows = [...identity(request, turn), ...costs(request, turn), ...decisions(request, style)];
  const moments = turn.map((each): Row => [shortId(each.entry.id), momentsText(each)]);
  return [
    `${bold(request.entry.id)}\n`,
    listing(rows, { minWidth: 10, dim }),
    `\n${bold(turn.length === 1 ? "Timeline" : "Timeline of the turn")}\n`,
    columns === undefined ? "" : drawTimeline(turn, columns, colors),
    listing(moments, { minWidth: 10, dim }),
    `\n${dim(`What it means, and what to change: curlew why ${shortId(request.entry.id)}`)}\n`,
  ].join("");
}

function identity({ entry, detail }: TimedRequest, turn: readonly TimedRequest[]): Row[] {
  const { atMs, client, model, dialect, backend, totalMs } = entry;
  const asked =
    detail !== undefined && detail.askedModel !== model ? `, asked for as ${harmless(detail.askedModel)}` : "";
  const how = detail === undefined ? "" : detail.stream ? ", streamed" : ", whole";
  const place = turn.findIndex((each) => each.entry.id === entry.id) + 1;
  return [
    ["received", `${exactClockText(atMs)}${totalMs === null ? "" : `, took ${durationText(totalMs)}`}`],
    ["client", harmless(client) || "unknown"],
    ["model", `${harmless(model)}${asked}`],
    ["dialect", `${harmless(dialect)}${how}`],
    ["backend", backend === null ? null : harmless(backend)],
    ["turn", turn.length === 1 ? null : `request ${place} of ${turn.length}`],
  ];
}

function costs({ entry, detail }: TimedRequest, turn: readonly TimedRequest[]): Row[] {
  const { runs, retries, sentBytes, receivedBytes, context, toolRounds } = entry;
  const booked = turn.findLast((each) => each.entry.tokens !== null)?.entry.tokens ?? null;
  return [
    ["context", context === null ? null : tokensText(context)],
    ["turn took", booked === null ? null : tokensText(booked)],
    [
      "upstream",
      `${some(runs, "run")}, ${retriesText(retries)}, ${bytesText(sentBytes)} out, ${bytesText(receivedBytes)} in`,
    ],
    ["tools", toolRounds === 0 ? null : some(toolRounds, "round")],
    [
      "sizes",
      detail === undefined ? null : `request ${bytesText(detail.bodyBytes)}, reply ${bytesText(detail.replyBytes)}`,
    ],
  ];
}

function decisions({ entry, detail }: TimedRequest, { colors }: Style): Row[] {
  const { outcome, message, sentAgainTokens } = entry;
  const again = sentAgainTokens === 0 ? "" : `, about ${countText(sentAgainTokens)} tokens sent again`;
  const status = detail?.status == null ? "" : ` (status ${detail.status})`;
  const words = `${harmless(outcome)}${status}${message === null ? "" : `: ${harmless(message)}`}`;
  return [
    ["continuity", entry.continuity === null ? null : `${harmless(continuityText(entry))}${again}`],
    ["outcome", outcome === "ok" ? words : colors.red(words)],
    ["joined", detail?.joined == null ? null : harmless(detail.joined)],
    ...(detail?.warnings ?? []).map((warning): Row => ["warning", colors.yellow(harmless(warning))]),
    ["asked", detail?.texts == null ? null : harmless(detail.texts.asked)],
    ["answered", detail?.texts == null ? null : harmless(detail.texts.answered)],
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
    ...at(
      "with results after tools of",
      detail !== undefined && detail.clientToolsMs > 0 ? detail.clientToolsMs : null,
    ),
    ...at("planned", detail?.plannedMs),
    ...at(entry.runs === 0 ? "run resumed" : "run opened", detail?.openedMs),
    ...at("first byte", firstByteMs),
    ...pauses,
    ...at(calls > 0 ? `ended with ${some(calls, "tool call")}` : "ended", totalMs),
  ].join(", ");
}

function tokensText({ input, output, cacheRead, reasoning, estimated }: CountedTokens): string {
  const thinking = reasoning === 0 ? "" : ` (${countText(reasoning)} thinking)`;
  const text = `${some(input, "token")} in, ${countText(cacheRead)} cached, ${countText(output)} out${thinking}`;
  return estimated ? `${text}; estimated` : text;
}

function retriesText(retries: number): string {
  return `${countText(retries)} ${retries === 1 ? "retry" : "retries"}`;
}

function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
