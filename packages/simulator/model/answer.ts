import type { Tool } from "./tools.js";
import type { Entry, ToolResult } from "./transcript.js";

/** What the simulated model knows when no directive says what to do. */
export interface Knowledge {
  entries: readonly Entry[];
  tools: readonly Tool[];
  /** The caller's system prompts. */
  given: readonly string[];
  isFallback: boolean;
}

const QUOTE_CHARS = 160;
const RESULT_CHARS = 4_000;
/** Names of server requests other than calls of the client's tools. Their results are shown under the name itself. */
const BUILT_IN = /^(?:native \w+|query \w+|exec \d+|state)$/;

/** The system prompt is quoted only on request: it is long, and mostly not the user's own words. */
const ASKS_FOR_PROMPT = /\bwho are you\b|\bsystem prompt\b/i;

/** A short text that shows what reached the model. The first of a conversation says who speaks. */
export function undirectedAnswer({ entries, tools, given, isFallback }: Knowledge): string {
  const users = entries.filter((entry) => entry.role === "user");
  const newest = users.at(-1);
  const earlier = users.slice(0, -1);
  const images = newest?.images ?? [];
  const isAsked = given.length > 0 && ASKS_FOR_PROMPT.test(newest?.text ?? "");
  const sentences = [
    earlier.length === 0 ? greeting(isFallback) : "This is a simulated answer.",
    `You said: ${quoteEnd(newest?.text ?? "")}.`,
    ...(images.length === 0 ? [] : [`You sent ${images.length} image(s): ${images.map(describeImage).join(", ")}.`]),
    ...(earlier.length === 0 ? [] : [`Before that you said: ${earlier.map(({ text }) => quoteEnd(text)).join(", ")}.`]),
    ...(isAsked ? [`My system prompt: ${given.map(quote).join(", ")}.`] : []),
    ...(tools.length === 0 ? [] : [`My tools: ${[...new Set(tools.map(({ name }) => name))].join(", ")}.`]),
  ];
  return sentences.join(" ");
}

function greeting(isFallback: boolean): string {
  const why = isFallback ? ", because no Cursor credential was found" : "";
  return `Hi! I am Curlew's simulator${why}. Run \`curlew login\` for real models.`;
}

/** One line per result. */
export function describeResults(results: readonly ToolResult[]): string {
  return results
    .map(({ toolName, result }) => {
      const shown = result.length > RESULT_CHARS ? `${result.slice(0, RESULT_CHARS)}…` : result;
      return BUILT_IN.test(toolName) ? `${toolName}: ${shown}\n` : `Result of ${toolName}: ${shown}\n`;
    })
    .join("");
}

function describeImage({ mimeType, bytes }: { mimeType: string; bytes: number }): string {
  return `${mimeType || "unknown type"} of ${bytes} bytes`;
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `"${line.length > QUOTE_CHARS ? `${line.slice(0, QUOTE_CHARS)}…` : line}"`;
}

/** Clients wrap prompts in text of their own; the user's words tend to come last. */
function quoteEnd(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `"${line.length > QUOTE_CHARS ? `…${line.slice(-QUOTE_CHARS)}` : line}"`;
}
