import type { AbandonedRun } from "../events/channels.js";
import { duration, some, wholeCount } from "../format.js";
import type { Continuity } from "../gateway/index.js";
import type { LedgerEntry } from "../ledger/index.js";

const DAY_SECONDS = 24 * 60 * 60;

/** One thing that the ledger shows about a request, in words. */
export interface Paragraph {
  /** Names the cause: a continuity, the code of an error, or a word for what was expensive or slow. */
  readonly topic: string;
  readonly what: string;
  /** What to change; null where nothing needs to. */
  readonly advice: string | null;
}

export interface Neighbours {
  /** All requests of the same turn in the order of time, the request itself among them. */
  readonly turn: readonly LedgerEntry[];
  /** The last request of the conversation before this turn. */
  readonly before: LedgerEntry | undefined;
}

type Cause = Omit<Paragraph, "topic">;

const lease =
  "A run waits for results as long as leaseMs says (15 minutes by default, but one minute where the request forced its only tool): raise it if your tools take longer.";
const answerCalls =
  "Let the client answer its open tool calls, if only with an error, before it sends the next message.";
const cutsConnections =
  "If this happens often, run curlew doctor --live: something between you and Cursor cuts long connections.";

/** Why a run that waited for the results of tools was given up. */
const givenUp: Readonly<Record<AbandonedRun["reason"], Cause>> = {
  "lease-expired": { what: "none came in time", advice: lease },
  superseded: { what: "the client sent another message instead", advice: answerCalls },
  lost: { what: "its connection to Cursor broke, or the gateway was killed", advice: cutsConnections },
  shutdown: { what: "the gateway stopped", advice: "Restart the gateway when no client is at work." },
  stopped: { what: "curlew stop ended it", advice: null },
};

/** What differs from the last reply beside the messages, by what the cache missed. */
const otherSettings = {
  system: {
    what: "The system prompt differs from that of the last reply.",
    advice:
      "Keep the system prompt the same within a conversation. Look in the client's rules, plugins and settings for what changes in it from turn to turn, such as the time, open files or the state of git, and have that sent with the newest user message.",
  },
  tools: {
    what: "The client's tools differ from those of the last reply.",
    advice:
      "Offer the same tools in the same order within a conversation. Tools change when an MCP server connects late or drops out, when the client loads tools on demand, and in modes such as planning that hide some.",
  },
  other: {
    what: "Something beside the messages differs from the last reply: the backend, the workspace, or how the tools are described.",
    advice:
      "Keep one backend and one workspace (x-curlew-workspace) for a conversation. A fallback to another backend has this effect, too: the warnings of the request name it.",
  },
} satisfies Readonly<Record<string, Cause>>;

/** How the conversation went on, and what to change in the client. What was sent again is said behind it. */
const continuities: Readonly<Record<Continuity, Cause | ((entry: LedgerEntry, neighbours: Neighbours) => Cause)>> = {
  warm: { what: "The conversation went on where Cursor had it.", advice: null },
  "warm:steered": {
    what: "You wrote something while the tools ran; the waiting run got it together with the results.",
    advice: null,
  },
  "warm:settings-changed": (entry) => ({
    what: `${settingsOf(entry).what} Cursor still had the conversation, but the system prompt and the tools stand before it in what a model reads, and a cache serves nothing beyond the first difference.`,
    advice: settingsOf(entry).advice,
  }),
  resumed(entry, { before }) {
    const { what, advice } = endOfRun(before?.abandoned);
    const lateMs = before?.abandoned == null ? 0 : entry.atMs - before.atMs - (before.totalMs ?? 0);
    const late = lateMs > 0 ? ` The request came ${durationText(lateMs)} after the model had asked for them.` : "";
    return {
      what: `The run that waited for the results of tools was given up: ${what}.${late} A new run went on from its stored state.`,
      advice,
    };
  },
  "cold:settings-changed": (entry) => ({
    what: `${settingsOf(entry).what} The stored state could not be resumed with that, so a new conversation began at Cursor.`,
    advice: settingsOf(entry).advice,
  }),
  "cold:new": ({ sentAgainTokens }) =>
    sentAgainTokens === 0
      ? { what: "This was the first message of a conversation, so there was nothing to resume.", advice: null }
      : {
          what: "The request brought a conversation that this gateway did not know.",
          advice:
            "This is normal once, after an upgrade of Curlew that stores conversations differently, and after the client has compacted or imported a conversation. If it happens in the middle of one, send all its requests to the same gateway with the same key and account, and keep Curlew's state folder.",
        },
  "cold:edited": {
    what: "The client sent a history that differs from the one that the model had. Only what comes before the difference could be kept.",
    advice:
      "If you edited a message, this is as it should be. If not, the client rewrites old messages: turn off what prunes, shortens or compacts old tool results (in OpenCode, compaction.prune), and what adds text to earlier messages.",
  },
  "cold:expired": {
    what: "The run or session that waited for the results of tools was gone when they came, and there was no state to resume from.",
    advice: `${lease} Cursor's own programs keep no state to resume from; --backend agent keeps that of every reply on disk.`,
  },
  "cold:restarted": {
    what: "The run that waited for the results of tools was lost, by a restart of the gateway or a broken connection, and there was no state to resume from.",
    advice:
      "Restart the gateway when no client is at work, and keep its state folder (stateFolder) on a disk that outlives the process; a container needs a volume for it.",
  },
  "cold:raced": {
    what: "Two requests brought results of the same tool calls. The other one got the run that waited, and this one had to start another.",
    advice:
      "Have the client send tool results once and wait for the answer. A client that repeats them after a timeout needs a longer timeout.",
  },
  "cold:superseded": {
    what: "A new message came while the run waited for the results of tools, and there was no state to resume from.",
    advice: answerCalls,
  },
  "cold:unknown-call": {
    what: "The request brought results of tool calls that this gateway has not made for this client.",
    advice:
      "Keep a conversation on one gateway, one key and one account, and let nothing on the way change the ids of tool calls.",
  },
  "cold:blob-missing": {
    what: "Cursor asked for a part of the conversation that Curlew no longer had, so it began again there.",
    advice:
      "Once is nothing to worry about. If it repeats, give the state more room (stateMaxBytes), and keep the state folder when you clean up.",
  },
};

function settingsOf({ cacheMiss, continuity }: LedgerEntry): Cause {
  if (cacheMiss === null && continuity === "warm:settings-changed") return changedMeanwhile;
  return cacheMiss === "system" || cacheMiss === "tools" ? otherSettings[cacheMiss] : otherSettings.other;
}

const changedMeanwhile: Cause = {
  what: "The system prompt changed while the tools ran; the model gets the new one with the next message.",
  advice: null,
};

export function endOfRun(reason: string | null = null): Cause {
  return rowOf(givenUp, reason) ?? { what: reason ?? "it was gone", advice: null };
}

/** A ledger of another version may have other names. */
function rowOf<Value>(table: Readonly<Record<string, Value>>, name: string | null): Value | undefined {
  return name !== null && Object.hasOwn(table, name) ? table[name] : undefined;
}

export function when(isTrue: boolean, topic: string, what: string, advice: string | null): Paragraph[] {
  return isTrue ? [{ topic, what, advice }] : [];
}

/** How the conversation went on. Nothing is known of a request that did not get that far. */
export function continuityOf(entry: LedgerEntry, neighbours: Neighbours): Paragraph[] {
  const { continuity, cacheMiss, sentAgainTokens, model, tokens } = entry;
  if (continuity === null) return [];
  const found = rowOf(continuities, continuity);
  if (found === undefined) return when(true, "unknown", `Another version of Curlew has noted: ${continuity}.`, null);
  const { what, advice } = typeof found === "function" ? found(entry, neighbours) : found;
  const { before } = neighbours;
  const from = before === undefined || before.model === model ? "another model" : before.model;
  const isReadAnew = tokens !== null && !tokens.estimated && tokens.cacheRead * 2 < tokens.input;
  const anew = isReadAnew ? `, so ${some(tokens.input - tokens.cacheRead, "token")} were read anew` : "";
  return [
    { topic: continuity, what: `${what}${sentAgain(continuity, sentAgainTokens)}`, advice },
    // Two conversations that begin alike are one thread: another model in the request before says nothing.
    ...when(
      cacheMiss === "model",
      "model-changed",
      `The last reply of this conversation came from ${from}, this one from ${model}. No model can read the cache of another${anew}.`,
      "Choose the model when a conversation begins, and give side tasks for another model a conversation of their own.",
    ),
  ];
}

function sentAgain(continuity: string, count: number): string {
  if (continuity === "warm:settings-changed") return "";
  if (count === 0) return continuity.startsWith("cold") ? "" : " Nothing was sent again.";
  if (continuity === "cold:new") return ` All of it was sent, ${aboutTokens(count)}.`;
  if (continuity.startsWith("cold")) return ` Of the conversation, ${aboutTokens(count)} were sent again.`;
  return ` The conversation (${aboutTokens(count)}) went up again under another id, since Cursor is reported to refuse the id of one whose tool call was never answered; the model may still have it in its cache.`;
}

/** A time in words that fit into a sentence: `850 ms`, `4.2 s`, `3 min 12 s`, `2 days`. */
export function durationText(ms: number): string {
  const days = Math.floor(Math.round(ms / 1_000) / DAY_SECONDS);
  return days < 1 ? duration(ms) : `${days} day${days === 1 ? "" : "s"}`;
}

/** Tokens that were estimated, to two digits: more would look measured. */
export function aboutTokens(count: number): string {
  return `about ${wholeCount(Number(count.toPrecision(2)))} token${count === 1 ? "" : "s"}`;
}

export function percentText(part: number, whole: number): string {
  if (whole === 0) return "0%";
  const percent = Math.floor((part / whole) * 100);
  return `${percent === 0 && part > 0 ? "under 1" : percent}%`;
}
