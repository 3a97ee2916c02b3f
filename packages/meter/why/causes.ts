import { some, wholeCount } from "@curlew/gateway/system/format.js";
import type { ErrorCode } from "@curlew/gateway/turn/error.js";
import type { SideRequest } from "@curlew/gateway/turn/side-request.js";
import { type JournalDetail, type LedgerEntry, turnTokens } from "../ledger/index.js";
import type { Neighbours, Paragraph } from "./continuity.js";
import { aboutTokens, continuityOf, durationText, endOfRun, percentText, when } from "./continuity.js";
import { isErrorCode, remedies } from "./remedies.js";

/** A context worth mentioning even if it is cached. */
const LARGE_CONTEXT_TOKENS = 100_000;
/** Below this, caching hardly matters. */
const WORTH_CACHING_TOKENS = 10_000;
/** Anthropic's default cache lifetime (platform.claude.com/docs, prompt caching); a shorter pause cannot explain a miss. */
const CACHES_LAST_MS = 5 * 60_000;
/** Input of a turn, as a multiple of its context. */
const MANY_READS = 4;
const MANY_READ_TOKENS = 50_000;
const MUCH_THINKING_TOKENS = 5_000;
const LONG_TOOLS_MS = 60_000;
const LONG_WAIT_MS = 15_000;
/** Failures by which Curlew itself refuses a request, on behalf of its owner. */
const refusals: ReadonlySet<ErrorCode> = new Set(["quota_exceeded"]);

/** Explains from the ledger what made a request and its turn cold, expensive or slow. Most important first. */
export function explain(
  entry: LedgerEntry,
  detail: JournalDetail | undefined,
  neighbours: Neighbours,
): readonly Paragraph[] {
  const ended = endOf(entry, detail);
  if (detail?.joined != null) return ended; // everything else belongs to the request that it joined
  const [first] = neighbours.turn;
  const began = first === undefined || first.id === entry.id ? [] : continuityOf(first, neighbours);
  return [
    ...ended,
    ...sideOf(entry),
    ...continuityOf(entry, neighbours),
    // Tool rounds are always warm; the first request decided the cost of the turn.
    ...began.flatMap(({ what, advice }) =>
      when(advice !== null, "turn-began", `The turn began with request ${first?.id}. ${what}`, advice),
    ),
    ...costOf(entry, neighbours),
    ...timeOf(entry, detail, neighbours),
  ];
}

const sideWords: Readonly<Record<SideRequest, string>> = {
  title: "to name the conversation",
  suggestion: "to suggest what to type next",
  compaction: "to replace a long conversation by a summary",
  check: "to have a model judge a tool call",
};

function sideOf({ side, runs }: LedgerEntry): Paragraph[] {
  if (side === null) return [];
  const avoidable = side === "suggestion" || side === "check";
  const advice = "It takes a run each time: turn it off in the client, as curlew setup does where it can.";
  const what = `The client sent this by itself, ${sideWords[side]}. Nobody typed it.`;
  return when(true, "side-request", what, avoidable && runs > 0 ? advice : null);
}

/** How a request ended, unless its reply is simply complete. */
function endOf(entry: LedgerEntry, detail: JournalDetail | undefined): Paragraph[] {
  const { outcome, message, firstByteMs, totalMs, retries, runs, abandoned } = entry;
  const isFailure = outcome !== "ok" && outcome !== "client-left" && outcome !== "interrupted";
  const code = isErrorCode(outcome) ? outcome : undefined;
  const verb = code !== undefined && refusals.has(code) ? "Curlew refused it with" : "It failed with";
  const reached = firstByteMs === null ? "before the reply had begun" : "in the middle of the reply";
  const calls = detail?.clientCalls ? some(detail.clientCalls, "tool call") : "tool calls";
  const end = endOfRun(abandoned);
  return [
    ...when(
      outcome === "client-left",
      "client-left",
      `The client closed the connection${totalMs === null ? "" : ` after ${durationText(totalMs)}`}, ${reached}.`,
      "If you did not press stop, raise the timeouts of the client and of any proxy in front of the gateway, or let the client stream (stream: true), so that the reply begins sooner.",
    ),
    ...when(
      outcome === "interrupted",
      "interrupted",
      "The gateway process ended before this request: it was killed, it crashed, or the machine went down.",
      "Send the message again; the conversation continues from its stored state. If you did not stop the gateway, check its log (curlew service logs).",
    ),
    ...when(
      isFailure,
      code ?? "unknown",
      `${verb} ${outcome}${message === null ? "." : `: ${message}`}`,
      code === undefined ? null : remedies[code],
    ),
    ...when(
      retries > 0,
      "retries",
      `Curlew retried it ${retries === 1 ? "once" : `${retries} times`} at Cursor (${some(runs, "run")}).`,
      retries > 1 ? "Cursor or the connection to it may have problems: run curlew doctor --live." : null,
    ),
    ...when(
      detail?.joined != null,
      "joined",
      `This request repeated ${detail?.joined} and joined its reply. No second run was started, and nothing is counted twice.`,
      "If this happens often, the connection to the gateway breaks or the client gives up too early: raise the timeouts of the client and of any proxy between them.",
    ),
    ...when(
      abandoned !== null,
      "abandoned",
      `The reply ended with ${calls}, and the run waiting for the results was given up: ${end.what}.`,
      end.advice,
    ),
  ];
}

function costOf(entry: LedgerEntry, { turn, before }: Neighbours): Paragraph[] {
  const { continuity, context, cacheMiss, round, model } = entry;
  const tokens = turnTokens(turn) ?? entry.tokens;
  const { input, output, cacheRead, reasoning, estimated } = tokens ?? noTokens;
  const cached = entry.tokens?.cacheRead ?? 0;
  const known = before?.context?.input ?? 0;
  const isSame = continuity === "warm" && before?.model === model && cacheMiss === null && round === 0;
  const isUnused = isSame && entry.tokens?.estimated === false && known >= WORTH_CACHING_TOKENS && cached * 2 <= known;
  const pauseMs = before === undefined ? 0 : Math.max(0, entry.atMs - before.atMs - (before.totalMs ?? 0));
  const isOld = pauseMs >= CACHES_LAST_MS;
  const isCold = continuity === null || continuity.startsWith("cold");
  const size = context?.input ?? 0;
  const largest = Math.max(0, ...turn.map((each) => each.context?.input ?? 0));
  const rounds = turn.reduce((sum, { toolRounds }) => sum + toolRounds, 0);
  return [
    ...when(
      tokens !== null,
      "cost",
      estimated
        ? `The turn took ${aboutTokens(input)} in, ${aboutTokens(output)} out. This is Curlew's estimate: Cursor reported no usage for at least part of it.`
        : `The turn took ${some(input, "token")} in (${wholeCount(cacheRead)} cached, ${percentText(cacheRead, input)}), ${wholeCount(output)} out.`,
      null,
    ),
    ...when(
      isUnused,
      "cache-unused",
      `The client changed nothing, but the model's cache had only ${wholeCount(cached)} of the ${some(known, "token")} that the conversation had before. The last reply was ${durationText(pauseMs)} old; model providers evict cached prompts after some minutes without use.`,
      isOld ? "Avoid long pauses in a long conversation, and begin a new one for a new subject." : null,
    ),
    ...when(
      !isCold && size >= LARGE_CONTEXT_TOKENS,
      "large-context",
      `The context is large: ${context?.estimated ? aboutTokens(size) : `${wholeCount(size)} tokens`}. The model reads all of it with every call; cached tokens are cheaper, but not free.`,
      "Compact the conversation, or begin a new one for a new subject.",
    ),
    ...when(
      !estimated && largest > 0 && input >= Math.max(MANY_READ_TOKENS, MANY_READS * largest),
      "many-model-calls",
      `The model read its context many times in this turn${rounds > 0 ? `, because it had ${some(rounds, "round")} of tools` : ""}: ${wholeCount(input)} tokens in total, for a context of ${wholeCount(largest)}.`,
      "Fewer and larger rounds cost less: let the model make parallel calls, offer tools that do several things at once, and ask for smaller steps.",
    ),
    ...when(
      reasoning >= MUCH_THINKING_TOKENS && reasoning * 2 >= output,
      "thinking",
      `${wholeCount(reasoning)} of the ${wholeCount(output)} output tokens were thinking.`,
      "For simple tasks choose a lower effort in the client, or a model name that ends with :low.",
    ),
  ];
}

const noTokens = { input: 0, output: 0, cacheRead: 0, reasoning: 0, estimated: false };

function timeOf(entry: LedgerEntry, detail: JournalDetail | undefined, { turn }: Neighbours): Paragraph[] {
  const firstMs = entry.firstByteMs ?? 0;
  const openedMs = detail?.openedMs ?? 0;
  const isLong = firstMs >= LONG_WAIT_MS;
  const isWhole = detail?.stream === false;
  const isOwn = !isWhole && openedMs * 2 > firstMs;
  const waited = `The first byte of the reply came after ${durationText(firstMs)}`;
  const toolsMs = turn.reduce((sum, each) => sum + each.toolsMs, 0);
  const last = turn.at(-1) ?? entry;
  const wholeMs = last.atMs + (last.totalMs ?? 0) - (turn[0] ?? entry).atMs;
  return [
    ...when(
      isLong && isWhole,
      "slow-first-byte",
      `${waited}, together with the rest: the request did not ask for a stream.`,
      "Let the client ask for a stream (stream: true).",
    ),
    ...when(
      isLong && isOwn,
      "slow-first-byte",
      `${waited}; ${durationText(openedMs)} of that passed before Curlew had a run at Cursor.`,
      "Fetching attachments, starting MCP servers, or a limit that throttles the client can take this time; the warnings of the request may name the cause.",
    ),
    ...when(
      isLong && !isWhole && !isOwn,
      "slow-first-byte",
      `${waited}. Curlew waited for Cursor for most of it.`,
      "A smaller context, a lower effort or another model begins sooner.",
    ),
    ...when(
      toolsMs >= LONG_TOOLS_MS,
      "slow-tools",
      `Tool results took ${durationText(toolsMs)}${wholeMs > toolsMs ? ` of the turn's ${durationText(wholeMs)}` : ""}, including the time to approve calls.`,
      "Return the results of slow tools before the run's lease ends (leaseMs), or let such a tool return at once and report later.",
    ),
  ];
}
