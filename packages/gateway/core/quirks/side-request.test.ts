import { describe, expect, it } from "vitest";
import { userTurn } from "../../../../testing/backends/scripted/index.js";
import { assistant, tool, user } from "../../../../testing/samples/sample-turns.js";
import type { Turn } from "../../turn/turn.js";
import { sideRequestOf } from "./side-request.js";

const agent = `You are a coding agent. ${"Work with care. ".repeat(500)}`;
const talk = [user("Repair the date parser."), assistant("Done.")];
/** A request in the middle of a conversation, with the tools of the agent. */
const after = (text: string) => userTurn("", { system: agent, messages: [...talk, user(text)], tools: [tool("bash")] });
/** A request with a prompt of its own, for which the client writes the conversation into one message. */
const beside = (system: string) => userTurn(`<conversation>\n[User]: Repair it.\n</conversation>`, { system });

/** The first words of what each client sends, from its package; the rest is shortened. */
const cases: [string, Turn, ReturnType<typeof sideRequestOf>][] = [
  [
    "Claude Code suggests",
    after("[SUGGESTION MODE: Suggest what the user might naturally type next into Claude Code.]\n"),
    "suggestion",
  ],
  [
    "Qwen Code suggests",
    after("[SUGGESTION MODE: Suggest what the user might naturally type next.]\n\nFIRST:"),
    "suggestion",
  ],
  [
    "Claude Code compacts, beneath the user's own words",
    userTurn("", {
      system: agent,
      messages: [
        ...talk,
        {
          role: "user",
          content: [
            { type: "text", text: "And the time parser.\n" },
            { type: "text", text: "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- Do NOT use Read" },
          ],
        },
      ],
    }),
    "compaction",
  ],
  [
    "Codex compacts",
    after("You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary"),
    "compaction",
  ],
  [
    "Qwen Code compacts",
    after("You are the component that summarizes a conversation when its context window is about to overflow."),
    "compaction",
  ],
  [
    "Qwen Code compacts with its own prompt",
    userTurn("", {
      system: "You are the component that summarizes a conversation when its context window is about to overflow.",
      messages: [...talk, user("First, reason in your <analysis> block.")],
    }),
    "compaction",
  ],
  [
    "Continue compacts",
    after("Please provide a concise summary of our conversation so far, capturing the key context, decisions made"),
    "compaction",
  ],
  [
    "OpenCode compacts",
    beside("You are a context summarization agent. You are given a conversation between a user and an agent."),
    "compaction",
  ],
  [
    "pi compacts",
    beside("You are a context summarization assistant. Your task is to read a conversation between a user and an AI"),
    "compaction",
  ],
  [
    "Cline compacts",
    beside("Summarize the provided coding session into a concise continuation note with detailed next steps."),
    "compaction",
  ],
  ["Qwen Code has a call judged", beside("You are a security classifier for an AI coding agent operating in"), "check"],
  [
    "Codex has a call judged, with tools",
    after("The following is the Codex agent history whose request action you are assessing."),
    "check",
  ],
  ["Claude Code has a call judged", beside("You are a security monitor for autonomous AI coding agents.\n"), "check"],
  [
    "Claude Code names a session again",
    after("Generate a short kebab-case name (2-4 words) that captures the"),
    "title",
  ],
  [
    "Qwen Code names a session",
    beside("Generate a concise, sentence-case title (3-7 words) that captures what this programming-assistant"),
    "title",
  ],
];

describe("a client that asks by itself", () => {
  it.each(cases)("is recognised: %s", (_, turn, kind) => expect(sideRequestOf(turn)).toBe(kind));

  it.each<[string, Turn]>([
    ["a question", after("And the time parser?")],
    ["a user who wants a summary", after("Please summarise our conversation so far.")],
    ["a user who speaks of such a prompt", after("What does CONTEXT CHECKPOINT COMPACTION mean?")],
    ["a user who quotes one", after("Shorten this: You are performing a CONTEXT CHECKPOINT COMPACTION.")],
    ["a program with a classifier", beside("You are a classifier of support mail.")],
    [
      "results",
      userTurn("", { system: agent, messages: [user("[SUGGESTION MODE: x"), { role: "tool", results: [] }] }),
    ],
    ["nothing", userTurn("", { messages: [] })],
  ])("is not seen in %s", (_, turn) => expect(sideRequestOf(turn)).toBeUndefined());
});
