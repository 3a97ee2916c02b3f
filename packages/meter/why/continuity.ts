import type { Continuity } from "@curlew/gateway/core/index.js";
import { duration, some, wholeCount } from "@curlew/gateway/system/format.js";
import type { AbandonedRun } from "@curlew/gateway/turn/events/channels.js";
import type { LedgerEntry } from "../ledger/index.js";

const DAY_SECONDS = 24 * 60 * 60;

/** One finding about a request, in words. */
export interface Paragraph {
  /** Names the cause: a continuity, the code of an error, or a word for what was expensive or slow. */
  readonly topic: string;
  readonly what: string;
  /** What to change; null if nothing. */
  readonly advice: string | null;
}

export interface Neighbours {
  /** All requests of the turn, oldest first, including the request itself. */
  readonly turn: readonly LedgerEntry[];
  /** The last request of the conversation before the turn. */
  readonly before: LedgerEntry | undefined;
}

type Cause = Omit<Paragraph, "topic">;

const lease =
  "A run waits for results as long as leaseMs says (15 minutes by default, but one minute where the request forced its only tool): raise it if your tools take longer.";
const answerCalls =
  "Let the client answer its open tool calls, if only with an error, before it sends the next message.";
const cutsConnections =
  "If this happens often, run curlew doctor --live: something between you and Cursor cuts long connections.";

/** Why a run that waited for tool results was given up. */
const givenUp: Readonly<Record<AbandonedRun["reason"], Cause>> = {
  "lease-expired": { what: "none came in time", advice: lease },
  superseded: { what: "the client sent another message instead", advice: answerCalls },
  lost: { what: "its connection to Cursor broke, or the gateway was killed", advice: cutsConnections },
  shutdown: { what: "the gateway stopped", advice: "Restart the gateway while no client is active." },
  stopped: { what: "curlew stop ended it", advice: null },
};

/** What differs from the last reply besides the messages, by the cause of the cache miss. */
const otherSettings = {
  system: {
    what: "The system prompt differs from that of the last reply.",
    advice:
      "Keep the system prompt the same within a conversation. Look in the client's rules, plugins and settings for text that changes from turn to turn, such as the time, open files or the state of git, and have it sent with the newest user message.",
  },
  tools: {
    what: "The client's tools differ from those of the last reply.",
    advice:
      "Offer the same tools in the same order within a conversation. Tools change when an MCP server connects late or drops out, when the client loads tools on demand, and in modes such as planning that hide some.",
  },
  other: {
    what: "Something besides the messages differs from the last reply: the backend, the workspace, or how the tools are described.",
    advice:
      "Keep one backend and one workspace (x-curlew-workspace) for a conversation. A fallback to another backend has this effect, too; the warnings of the request name it.",
  },
} satisfies Readonly<Record<string, Cause>>;

/** How the conversation continued, and what to change in the client. `sentAgain` is appended. */
const continuities: Readonly<Record<Continuity, Cause | ((entry: LedgerEntry, neighbours: Neighbours) => Cause)>> = {
  warm: { what: "The conversation continued from Cursor's state of it.", advice: null },
  "warm:steered": {
    what: "You sent a message while the tools ran; the waiting run received it together with the results.",
    advice: null,
  },
  "warm:settings-changed": (entry) => ({
    what: `${settingsOf(entry).what} Cursor still had the conversation, but the system prompt and the tools precede it in the model's input, and a cache serves nothing beyond the first difference.`,
    advice: settingsOf(entry).advice,
  }),
  resumed(entry, { before }) {
    const { what, advice } = endOfRun(before?.abandoned);
    const lateMs = before?.abandoned == null ? 0 : entry.atMs - before.atMs - (before.totalMs ?? 0);
    const late = lateMs > 0 ? ` The request came ${durationText(lateMs)} after the model had asked for them.` : "";
    return {
      what: `The run that waited for tool results was given up: ${what}.${late} A new run continued from its stored state.`,
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
          what: "The request brought a conversation unknown to this gateway.",
          advice:
            "This is normal once, after an upgrade of Curlew that stores conversations differently, and after the client has compacted or imported a conversation. If it happens in the middle of one, send all its requests to the same gateway with the same key and account, and keep Curlew's state folder.",
        },
  "cold:edited": {
    what: "The client sent a history that differs from the one that the model had. Only the part before the difference could be kept.",
    advice:
      "If you edited a message, this is expected. If not, the client rewrites old messages: turn off features that prune, shorten or compact old tool results (in OpenCode, compaction.prune) or add text to earlier messages.",
  },
  "cold:expired": {
    what: "The run or session that waited for tool results had ended when they came, without a state to resume from.",
    advice: `${lease} Cursor's own programs keep no state to resume from; --backend agent keeps that of every reply on disk.`,
  },
  "cold:restarted": {
    what: "The run that waited for tool results was lost in a restart of the gateway or a broken connection, without a state to resume from.",
    advice:
      "Restart the gateway while no client is active, and keep its state folder (stateFolder) on a disk that outlives the process; a container needs a volume for it.",
  },
  "cold:raced": {
    what: "Two requests brought results of the same tool calls. The other one got the waiting run, and this one had to start another.",
    advice:
      "Have the client send tool results once and wait for the answer. A client that repeats them after a timeout needs a longer timeout.",
  },
  "cold:superseded": {
    what: "A new message came while the run waited for tool results, and there was no state to resume from.",
    advice: answerCalls,
  },
  "cold:unknown-call": {
    what: "The request brought results of tool calls that this gateway did not make for this client.",
    advice:
      "Keep a conversation on one gateway, one key and one account, and make sure that no proxy changes the ids of tool calls.",
  },
  "cold:blob-missing": {
    what: "Cursor asked for a part of the conversation that Curlew no longer had, so the conversation started over at Cursor.",
    advice:
      "A single occurrence is harmless. If it repeats, give the state more room (stateMaxBytes), and keep the state folder when you clean up.",
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

/** Undefined for unknown names: another version may have written the ledger. */
function rowOf<Value>(table: Readonly<Record<string, Value>>, name: string | null): Value | undefined {
  return name !== null && Object.hasOwn(table, name) ? table[name] : undefined;
}

export function when(isTrue: boolean, topic: string, what: string, advice: string | null): Paragraph[] {
  return isTrue ? [{ topic, what, advice }] : [];
}

/** How the conversation continued; empty for a request that failed before that was decided. */
export function continuityOf(entry: LedgerEntry, neighbours: Neighbours): Paragraph[] {
  const { continuity, cacheMiss, sentAgainTokens, model, tokens } = entry;
  if (continuity === null) return [];
  const found = rowOf(continuities, continuity);
  if (found === undefined) return when(true, "unknown", `Recorded by another version of Curlew: ${continuity}.`, null);
  const { what, advice } = typeof found === "function" ? found(entry, neighbours) : found;
  const { before } = neighbours;
  const from = before === undefined || before.model === model ? "another model" : before.model;
  const isReadAnew = tokens !== null && !tokens.estimated && tokens.cacheRead * 2 < tokens.input;
  const anew = isReadAnew ? `, so ${some(tokens.input - tokens.cacheRead, "token")} were read again` : "";
  const again = sentAgain(continuity, sentAgainTokens);
  // The model then is what has changed: one reason, not two.
  const isOtherModel = cacheMiss === "model" && continuity.endsWith(":settings-changed");
  return [
    ...when(!isOtherModel, continuity, `${what}${again}`, advice),
    // Conversations with equal beginnings share a thread, so a different model in the previous request proves nothing.
    ...when(
      cacheMiss === "model",
      "model-changed",
      `The last reply of this conversation came from ${from}, this one from ${model}. No model can read the cache of another${anew}.${isOtherModel ? again : ""}`,
      "Choose the model when a conversation begins, and give side tasks for another model a conversation of their own.",
    ),
  ];
}

function sentAgain(continuity: string, count: number): string {
  if (continuity === "warm:settings-changed") return "";
  if (count === 0) return continuity.startsWith("cold") ? "" : " Nothing was sent again.";
  if (continuity === "cold:new") return ` All of it was sent, ${aboutTokens(count)}.`;
  if (continuity.startsWith("cold")) return ` Of the conversation, ${aboutTokens(count)} were sent again.`;
  return ` The conversation (${aboutTokens(count)}) was resent under another id, since Cursor reportedly refuses the id of a conversation with an unanswered tool call; the model may still have it in its cache.`;
}

/** A duration for use in a sentence: `850 ms`, `4.2 s`, `3 min 12 s`, `2 days`. */
export function durationText(ms: number): string {
  const days = Math.floor(Math.round(ms / 1_000) / DAY_SECONDS);
  return days < 1 ? duration(ms) : `${days} day${days === 1 ? "" : "s"}`;
}

/** Estimated tokens, rounded to two digits: more would look measured. */
export function aboutTokens(count: number): string {
  return `about ${wholeCount(Number(count.toPrecision(2)))} token${count === 1 ? "" : "s"}`;
}

export function percentText(part: number, whole: number): string {
  if (whole === 0) return "0%";
  const percent = Math.floor((part / whole) * 100);
  return `${percent === 0 && part > 0 ? "under 1" : percent}%`;
}
