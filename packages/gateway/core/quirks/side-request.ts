import type { InputBlock } from "../../turn/blocks.js";
import type { SideRequest } from "../../turn/events/channels.js";
import type { Turn } from "../../turn/turn.js";

/** How the system prompt begins, or one of the texts of the newest message. */
interface Sign {
  readonly kind: SideRequest;
  readonly client: string;
  readonly prompt?: string;
  readonly said?: string;
}

/** What clients send by themselves, from their packages. Only whole phrases count: in doubt, a request is the user's. */
const signs: readonly Sign[] = [
  { kind: "suggestion", client: "Claude Code, Qwen Code", said: "[SUGGESTION MODE: Suggest what the user might" },
  { kind: "compaction", client: "Claude Code", said: "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools." },
  { kind: "compaction", client: "Codex", said: "You are performing a CONTEXT CHECKPOINT COMPACTION." },
  { kind: "compaction", client: "Qwen Code", said: "You are the component that summarizes a conversation when" },
  { kind: "compaction", client: "Qwen Code", prompt: "You are the component that summarizes a conversation when" },
  { kind: "compaction", client: "Continue", said: "Please provide a concise summary of our conversation so far," },
  { kind: "compaction", client: "OpenCode", prompt: "You are a context summarization agent. You are given a" },
  { kind: "compaction", client: "pi", prompt: "You are a context summarization assistant. Your task is" },
  { kind: "compaction", client: "Cline", prompt: "Summarize the provided coding session into a concise" },
  { kind: "check", client: "Qwen Code", prompt: "You are a security classifier for an AI coding agent" },
  { kind: "check", client: "Claude Code", prompt: "You are a security monitor for autonomous AI coding agents." },
  { kind: "check", client: "Codex", said: "The following is the Codex agent history" },
  { kind: "title", client: "Claude Code", prompt: "You are naming a coding session so the user can pick" },
  { kind: "title", client: "Claude Code", said: "Generate a short kebab-case name (2-4 words)" },
  { kind: "title", client: "Qwen Code", prompt: "Generate a concise, sentence-case title (3-7 words)" },
];

/** What a client asks by itself; undefined for a message of the user. Other titles are found by `wordsToName`. */
export function sideRequestOf({ system, messages }: Pick<Turn, "system" | "messages">): SideRequest | undefined {
  const newest = messages.at(-1);
  if (newest?.role !== "user") return undefined;
  const begins = (block: InputBlock, words: string) => block.type === "text" && block.text.startsWith(words);
  const isShown = ({ prompt, said }: Sign) =>
    prompt === undefined
      ? said !== undefined && newest.content.some((block) => begins(block, said))
      : system.startsWith(prompt);
  return signs.find(isShown)?.kind;
}
