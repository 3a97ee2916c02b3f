import { type CountedTokens, type LedgerEntry, turnTokens } from "../ledger/index.js";
import { aboutTokens, countText, durationText, percentText, some } from "./amounts.js";
import type { Neighbours, Paragraph } from "./paragraph.js";

/** A context that is worth a word even if the cache has it. */
const LARGE_CONTEXT_TOKENS = 100_000;
/** Below this, what a cache does or does not serve hardly matters. */
const WORTH_CACHING_TOKENS = 10_000;
/** What Anthropic promises by default (platform.claude.com/docs, prompt caching); after a shorter pause the time is no reason. */
const CACHES_LAST_MS = 5 * 60_000;
/** The turn has read its context this many times. */
const MANY_READS = 4;
const MANY_READ_TOKENS = 50_000;
const MUCH_THINKING_TOKENS = 5_000;

/** What the turn of a request has taken, and what of that is out of the ordinary. */
export function explainCost(entry: LedgerEntry, neighbours: Neighbours): Paragraph[] {
  const tokens = turnTokens(neighbours.turn) ?? entry.tokens;
  return [
    ...(tokens === null ? [] : [sum(tokens)]),
    ...cacheUnused(entry, neighbours),
    ...largeContext(entry),
    ...(tokens === null ? [] : [...manyReads(tokens, neighbours.turn), ...thinking(tokens)]),
  ];
}

function sum({ input, output, cacheRead, estimated }: CountedTokens): Paragraph {
  if (estimated) {
    return {
      topic: "cost",
      what: `Curlew estimates that the turn read ${aboutTokens(input)} and wrote ${aboutTokens(output)}. Cursor has reported no usage for at least a part of it.`,
      advice: null,
    };
  }
  const cached = `${countText(cacheRead)} of them (${percentText(cacheRead, input)}) from the cache`;
  return {
    topic: "cost",
    what: `The turn read ${some(input, "token")}, ${cached}, and wrote ${countText(output)}.`,
    advice: null,
  };
}

/** The conversation was warm, and the cache had little of it all the same. */
function cacheUnused(entry: LedgerEntry, { before }: Neighbours): Paragraph[] {
  const { continuity, cacheMiss, tokens, round, model } = entry;
  if (
    continuity !== "warm" ||
    before?.model !== model ||
    cacheMiss !== null ||
    round > 0 ||
    tokens === null ||
    tokens.estimated
  )
    return [];
  const known = before.context?.input ?? 0;
  if (known < WORTH_CACHING_TOKENS || tokens.cacheRead * 2 > known) return [];
  const pauseMs = Math.max(0, entry.atMs - before.atMs - (before.totalMs ?? 0));
  const what = `The client changed nothing, but the model's cache had only ${countText(tokens.cacheRead)} of the ${some(known, "token")} that the conversation had before.`;
  return [
    pauseMs < CACHES_LAST_MS
      ? { topic: "cache-unused", what: `${what} Nothing that Curlew knows explains that.`, advice: null }
      : {
          topic: "cache-unused",
          what: `${what} The last reply was ${durationText(pauseMs)} old, and model providers drop what they have cached after some minutes without use.`,
          advice: "Go on with a long conversation soon, and begin a new one for a new subject.",
        },
  ];
}

function largeContext({ continuity, context }: LedgerEntry): Paragraph[] {
  const isCold = continuity === null || continuity.startsWith("cold");
  if (isCold || context === null || context.input < LARGE_CONTEXT_TOKENS) return [];
  const size = context.estimated ? aboutTokens(context.input) : `${countText(context.input)} tokens`;
  return [
    {
      topic: "large-context",
      what: `The context is large: ${size}. The model reads all of it with every call, and what the cache serves is cheaper, but not free.`,
      advice: "Compact the conversation, or begin a new one for a new subject.",
    },
  ];
}

function manyReads({ input, estimated }: CountedTokens, turn: readonly LedgerEntry[]): Paragraph[] {
  const largest = Math.max(0, ...turn.map(({ context }) => context?.input ?? 0));
  if (estimated || largest === 0 || input < MANY_READ_TOKENS || input < MANY_READS * largest) return [];
  const rounds = turn.reduce((sum, { toolRounds }) => sum + toolRounds, 0);
  const why = rounds > 0 ? `, because it had ${some(rounds, "round")} of tools` : "";
  return [
    {
      topic: "many-model-calls",
      what: `The model read its context again and again in this turn${why}: ${countText(input)} tokens in sum, for a context of ${countText(largest)}.`,
      advice:
        "Fewer and larger rounds cost less: let the model make parallel calls, offer tools that do several things at once, and ask for smaller steps.",
    },
  ];
}

function thinking({ reasoning, output }: CountedTokens): Paragraph[] {
  if (reasoning < MUCH_THINKING_TOKENS || reasoning * 2 < output) return [];
  return [
    {
      topic: "thinking",
      what: `${countText(reasoning)} of the ${countText(output)} tokens that the model wrote were thinking.`,
      advice: "For simple tasks choose a lower effort in the client, or a model name that ends with :low.",
    },
  ];
}
