import type { Continuity } from "../gateway/index.js";
import type { LedgerEntry } from "../ledger/index.js";
import { aboutTokens, durationText, some } from "./amounts.js";
import type { Neighbours, Paragraph } from "./paragraph.js";

type Words = Omit<Paragraph, "topic">;
type Explain = (entry: LedgerEntry, neighbours: Neighbours) => Words;

/** What the ledger says about how the conversation went on, and what to change in the client. */
const explanations: Readonly<Record<Continuity, Explain>> = {
  warm: ({ round }) => ({
    what:
      round > 0
        ? "The tool results went to the run that waited for them, and nothing was sent again."
        : "The conversation went on exactly where Cursor had it, and nothing was sent again.",
    advice: null,
  }),

  "warm:steered": () => ({
    what: "You wrote something while the tools ran, and the waiting run got it together with the results. Nothing was sent again.",
    advice: null,
  }),

  resumed: (entry, neighbours) => {
    const { what, advice } = whyGone(entry, neighbours);
    return {
      what: `${what} A new run went on from its stored state, and nothing from before its last reply was sent again.`,
      advice,
    };
  },

  "warm:settings-changed": (entry) =>
    entry.cacheMiss === null
      ? {
          what: "The system prompt changed while the tools ran. The run that waited went on all the same, and nothing was sent again; the model gets the new prompt with the next message.",
          advice: null,
        }
      : {
          what: `${settingsText(entry)} Cursor still had the conversation, so little was sent; but the system prompt and the tools stand before it in what a model reads, and a cache serves nothing beyond the first difference.`,
          advice: settingsAdvice(entry),
        },

  "cold:settings-changed": (entry) => ({
    what: `${settingsText(entry)} The stored state could not be resumed with that, so a new conversation began at Cursor${again(entry)}.`,
    advice: settingsAdvice(entry),
  }),

  "cold:new": (entry) =>
    entry.sentAgainTokens === 0
      ? { what: "This was the first message of a conversation, so there was nothing to resume.", advice: null }
      : {
          what: `The request brought a conversation of ${aboutTokens(entry.sentAgainTokens)} that this gateway did not know, and all of it was sent.`,
          advice:
            "This is normal once, after the client has compacted or imported a conversation. If it happens in the middle of one, send all its requests to the same gateway with the same key and account, and keep Curlew's state folder.",
        },

  "cold:edited": (entry) => ({
    what: `The client sent a history that differs from the one that the model had. Only what comes before the difference could be kept${again(entry)}.`,
    advice:
      "If you edited a message, this is as it should be. If not, the client rewrites old messages: turn off what prunes, shortens or compacts old tool results (in OpenCode, compaction.prune), and what adds text to earlier messages.",
  }),

  "cold:expired": (entry, neighbours) =>
    isProgram(entry.backend)
      ? {
          what: `The session that Cursor's program kept for this conversation was gone, or had gone on without it${pauseText(entry, neighbours)}${again(entry)}.`,
          advice: `Answer tool calls sooner, or use --backend agent, which keeps the state of every reply on disk. While tools run, ${longerLease}`,
        }
      : {
          what: `The run no longer waited when the results of its tools came${pauseText(entry, neighbours)}, and there was no state to resume from${again(entry)}.`,
          advice: capitalised(longerLease),
        },

  "cold:restarted": (entry) => ({
    what: `The run that waited for the tool results was lost, by a restart of the gateway or a broken connection, and there was no state to resume from${again(entry)}.`,
    advice:
      "Restart the gateway when no client is at work, and keep its state folder (stateFolder) on a disk that outlives the process; a container needs a volume for it.",
  }),

  "cold:raced": (entry) => ({
    what: `Two requests brought results of the same tool calls. The other one got the run that waited, and this one had to start another${again(entry)}.`,
    advice:
      "Have the client send tool results once and wait for the answer. A client that repeats them after a timeout needs a longer timeout.",
  }),

  "cold:superseded": (entry) => ({
    what: `A new message came while the run waited for tool results, and there was no state to resume from${again(entry)}.`,
    advice: "Let the client answer its open tool calls, if only with an error, before it sends the next message.",
  }),

  "cold:unknown-call": (entry) => ({
    what: `The request brought results of tool calls that this gateway has not made for this client${again(entry)}.`,
    advice:
      "Keep a conversation on one gateway, one key and one account, and let nothing on the way change the ids of tool calls.",
  }),

  "cold:blob-missing": (entry) => ({
    what: `Cursor asked for a part of the conversation that Curlew no longer had, so it began again there${again(entry)}.`,
    advice:
      "Once is nothing to worry about. If it repeats, give the state more room (stateMaxBytes), and keep the state folder when you clean up.",
  }),
};

/** How the conversation went on. Nothing is known of a request that did not get that far. */
export function explainContinuity(entry: LedgerEntry, neighbours: Neighbours): Paragraph[] {
  const { continuity } = entry;
  if (continuity === null) return [];
  if (!isContinuity(continuity)) {
    return [{ topic: "unknown", what: `Another version of Curlew has noted: ${continuity}.`, advice: null }];
  }
  const paragraphs: Paragraph[] = [{ topic: continuity, ...explanations[continuity](entry, neighbours) }];
  // Two conversations that begin alike are one thread: another model in the request before says nothing.
  if (entry.cacheMiss === "model") paragraphs.push(modelChanged(entry, neighbours));
  return paragraphs;
}

function isContinuity(value: string): value is Continuity {
  return Object.hasOwn(explanations, value);
}

function isUncached({ tokens }: LedgerEntry): boolean {
  return tokens !== null && !tokens.estimated && tokens.cacheRead * 2 < tokens.input;
}

function modelChanged(entry: LedgerEntry, { before }: Neighbours): Paragraph {
  const { model, tokens } = entry;
  const from = before === undefined || before.model === model ? "another model" : before.model;
  const anew =
    isUncached(entry) && tokens !== null ? `, so ${some(tokens.input - tokens.cacheRead, "token")} were read anew` : "";
  return {
    topic: "model-changed",
    what: `The last reply of this conversation came from ${from}, this one from ${model}. No model can read the cache of another${anew}.`,
    advice:
      "Choose the model when a conversation begins, and give side tasks for another model a conversation of their own.",
  };
}

function settingsText({ cacheMiss }: LedgerEntry): string {
  switch (cacheMiss) {
    case "system":
      return "The system prompt differs from that of the last reply.";
    case "tools":
      return "The client's tools differ from those of the last reply.";
    case "model":
      return "The system prompt, the tools or the backend differ from those of the last reply.";
    default:
      return "Something beside the messages differs from the last reply: the backend, the workspace, or how the tools are described.";
  }
}

function settingsAdvice({ cacheMiss }: LedgerEntry): string {
  switch (cacheMiss) {
    case "system":
      return "Keep the system prompt the same within a conversation. Look in the client's rules, plugins and settings for what changes in it from turn to turn, such as the time, open files or the state of git, and have that sent with the newest user message.";
    case "tools":
      return "Offer the same tools in the same order within a conversation. Tools change when an MCP server connects late or drops out, when the client loads tools on demand, and in modes such as planning that hide some.";
    case "model":
      return "Keep the system prompt, the tools and the backend the same within a conversation.";
    default:
      return "Keep one backend and one workspace (x-curlew-workspace) for a conversation. A fallback to another backend has this effect, too: the warnings of the request name it.";
  }
}

const longerLease =
  "raise leaseMs: a run waits that long for results (15 minutes by default, but one minute where the request forced its only tool).";

/** Why the run of the last reply is gone, if the ledger has that. */
function whyGone(entry: LedgerEntry, neighbours: Neighbours): Words {
  switch (neighbours.before?.abandoned) {
    case "lease-expired":
      return {
        what: `The tool results came too late for the run that waited for them${pauseText(entry, neighbours)}.`,
        advice: `If your tools take that long, ${longerLease}`,
      };
    case "superseded":
      return {
        what: "The client sent another message instead of the tool results that a run waited for.",
        advice: null,
      };
    case "lost":
      return {
        what: "The run that waited for tool results was lost: its connection to Cursor broke, or the gateway was killed.",
        advice:
          "If this happens often, run curlew doctor --live: something between you and Cursor cuts long connections.",
      };
    case "shutdown":
      return { what: "The run that waited for tool results ended with the gateway.", advice: null };
    case "stopped":
      return { what: "The run that waited for tool results was ended by curlew stop-all.", advice: null };
    default:
      return { what: "The run of the last reply was gone or given up.", advice: null };
  }
}

/** How long after the calls the request came, where the ledger has the request that ended with them. */
function pauseText(entry: LedgerEntry, { before }: Neighbours): string {
  if (before == null || before.abandoned === null || before.totalMs === null) return "";
  const pauseMs = entry.atMs - before.atMs - before.totalMs;
  return pauseMs > 0 ? `, ${durationText(pauseMs)} after the model had asked for them` : "";
}

/** Ends a sentence about a conversation that could not be resumed. */
function again({ sentAgainTokens }: LedgerEntry): string {
  return sentAgainTokens === 0 ? "" : `, and ${aboutTokens(sentAgainTokens)} of the conversation were sent again`;
}

/** The backends that leave the conversation to a program of Cursor's. */
function isProgram(backend: string | null): boolean {
  return backend === "cli" || backend === "sdk";
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
