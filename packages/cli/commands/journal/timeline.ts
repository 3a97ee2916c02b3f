import { duration, shortId } from "@curlew/gateway/system/format.js";
import type { JournalDetail, LedgerEntry } from "@curlew/meter/ledger/index.js";
import type { Colors } from "../../terminal/print.js";

export interface TimedRequest {
  readonly entry: LedgerEntry;
  readonly detail: JournalDetail | undefined;
}

interface Span {
  readonly phase: Phase;
  readonly fromMs: number;
  readonly toMs: number;
}

const phases = {
  curlew: { mark: "░", name: "Curlew", color: "dim" },
  cursor: { mark: "▒", name: "waiting for Cursor", color: "yellow" },
  reply: { mark: "█", name: "reply", color: "green" },
  "own-tools": { mark: "▓", name: "Curlew's tools", color: "magenta" },
  "client-tools": { mark: "·", name: "the client's tools", color: "cyan" },
} as const;

type Phase = keyof typeof phases;

const MIN_WIDTH = 20;
const MAX_TICKS = 5;

/** All requests of a turn on one axis, to scale, with the time of the client's tools between them. Ends with a line break. */
export function drawTimeline(requests: readonly TimedRequest[], columns: number, colors: Colors): string {
  const bars = barsOf(requests);
  const labelWidth = Math.max(...bars.map(({ label }) => label.length)) + 2;
  const width = Math.max(MIN_WIDTH, columns - labelWidth - 1);
  const wholeMs = Math.max(1, ...bars.flatMap(({ spans }) => spans.map(({ toMs }) => toMs)));
  const cell = (ms: number) => Math.round((ms / wholeMs) * width);
  const used = new Set(bars.flatMap(({ spans }) => spans.map(({ phase }) => phases[phase])));
  const lines = bars.map(({ label, spans }) => `${label.padEnd(labelWidth)}${drawBar(spans, cell, colors)}`);
  const shown = Object.values(phases).filter((phase) => used.has(phase));
  const legend = shown.map(({ mark, name }) => `${mark} ${name}`).join("   ");
  const margin = " ".repeat(labelWidth);
  const scale = axis(wholeMs, width).map((line) => colors.dim(`${margin}${line}`));
  return `${[...scale, ...lines, colors.dim(`${margin}${legend}`)].join("\n")}\n`;
}

function barsOf(requests: readonly TimedRequest[]) {
  const beganMs = requests[0]?.entry.atMs ?? 0;
  return requests.flatMap(({ entry, detail }) => {
    const startMs = entry.atMs - beganMs;
    const toolsMs = detail?.clientToolsMs ?? 0;
    const tools: Span = { phase: "client-tools", fromMs: Math.max(0, startMs - toolsMs), toMs: startMs };
    const bar = { label: shortId(entry.id), spans: spansOf(entry, detail, startMs) };
    return toolsMs > 0 && startMs > 0 ? [{ label: "tools", spans: [tools] }, bar] : [bar];
  });
}

function spansOf({ firstByteMs, totalMs }: LedgerEntry, detail: JournalDetail | undefined, startMs: number): Span[] {
  const endMs = totalMs ?? firstByteMs ?? 0;
  const firstMs = Math.min(firstByteMs ?? endMs, endMs);
  // A request without its own run waits for the run that it brought results to. One that was never planned waited for nothing,
  // unless it joined another request.
  const unplannedMs = detail !== undefined && detail.joined === null ? endMs : 0;
  const openedMs = Math.min(detail?.openedMs ?? detail?.plannedMs ?? unplannedMs, firstMs);
  const own = (detail?.pauses ?? []).map(({ startedMs, endedMs }) => span("own-tools", startedMs, endedMs));
  function span(phase: Phase, fromMs: number, toMs: number): Span {
    return { phase, fromMs: startMs + fromMs, toMs: startMs + toMs };
  }
  return [
    span("curlew", 0, openedMs),
    span("cursor", openedMs, firstMs),
    span("reply", firstMs, endMs),
    ...own, // over the others: they happen while the reply waits
  ].filter(({ fromMs, toMs }) => toMs > fromMs);
}

function drawBar(spans: readonly Span[], cell: (ms: number) => number, colors: Colors): string {
  const cells: string[] = [];
  for (const { phase, fromMs, toMs } of spans) {
    // Spans too short for the scale get one cell.
    for (let at = cell(fromMs); at < Math.max(cell(toMs), cell(fromMs) + 1); at++) cells[at] = phases[phase].mark;
  }
  const bar = Array.from(cells, (mark) => mark ?? " ").join("");
  return bar.replace(/░+|▒+|█+|▓+|·+/g, (run) => {
    const phase = Object.values(phases).find(({ mark }) => run.startsWith(mark)) ?? phases.curlew;
    return colors[phase.color](run);
  });
}

function axis(wholeMs: number, width: number): [string, string] {
  const ticks = Math.max(1, Math.min(MAX_TICKS, Math.floor(width / 12)));
  let numbers = "";
  let line = "";
  for (let tick = 0; tick <= ticks; tick++) {
    const at = Math.round((tick / ticks) * width);
    const text = duration((tick / ticks) * wholeMs);
    numbers = `${numbers.padEnd(Math.max(0, tick === ticks ? at - text.length + 1 : at))}${text}`;
    line = `${line.padEnd(at, "─")}${tick === 0 ? "├" : tick === ticks ? "┤" : "┼"}`;
  }
  return [numbers, line];
}
