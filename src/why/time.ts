import type { JournalDetail, LedgerEntry } from "../ledger/index.js";
import { durationText } from "./amounts.js";
import type { Neighbours, Paragraph } from "./paragraph.js";

const LONG_TOOLS_MS = 60_000;
const LONG_WAIT_MS = 15_000;

/** What took long. */
export function explainTime(entry: LedgerEntry, detail: JournalDetail | undefined, { turn }: Neighbours): Paragraph[] {
  return [...slowFirstByte(entry, detail), ...slowTools(turn)];
}

function slowFirstByte({ firstByteMs, retries }: LedgerEntry, detail: JournalDetail | undefined): Paragraph[] {
  if (firstByteMs === null || firstByteMs < LONG_WAIT_MS) return [];
  const what = `The first byte of the reply came after ${durationText(firstByteMs)}`;
  if (detail?.stream === false) {
    return [
      {
        topic: "slow-first-byte",
        what: `${what}, with all the rest: the request did not ask for a stream.`,
        advice: "Have the client ask for a stream (stream: true).",
      },
    ];
  }
  const openedMs = detail?.openedMs ?? null;
  if (openedMs !== null && openedMs * 2 > firstByteMs) {
    return [
      {
        topic: "slow-first-byte",
        what: `${what}; ${durationText(openedMs)} of that passed before Curlew had a run at Cursor.`,
        advice:
          "Attachments that must be fetched, MCP servers that start, or a limit that slows the client down take time here; the warnings of the request may name them.",
      },
    ];
  }
  return [
    {
      topic: "slow-first-byte",
      what: `${what}${retries > 0 ? ", retries included" : ""}. Curlew waited for Cursor during most of it.`,
      advice: "A smaller context, a lower effort or another model begins sooner.",
    },
  ];
}

function slowTools(turn: readonly LedgerEntry[]): Paragraph[] {
  const toolsMs = turn.reduce((sum, each) => sum + each.toolsMs, 0);
  if (toolsMs < LONG_TOOLS_MS) return [];
  const [first] = turn;
  const last = turn.at(-1);
  const wholeMs = first === undefined || last === undefined ? 0 : last.atMs + (last.totalMs ?? 0) - first.atMs;
  const share = wholeMs > toolsMs ? ` of the turn's ${durationText(wholeMs)}` : "";
  return [
    {
      topic: "slow-tools",
      what: `The results of tools took ${durationText(toolsMs)}${share}, the time until somebody allowed a call included.`,
      advice:
        "Bring the results of slow tools before the run gives up waiting (leaseMs), or let such a tool return at once and report later.",
    },
  ];
}
