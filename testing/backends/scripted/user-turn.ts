import type { SentTurn, Turn } from "../../../src/turn/turn.js";

/** A turn with one user message, for tests that need nothing else. */
export function userTurn(text: string, rest?: Omit<Partial<Turn>, "messages">): SentTurn;
export function userTurn(text: string, rest: Partial<Turn>): Turn;
export function userTurn(text: string, rest: Partial<Turn> = {}): Turn {
  return {
    model: "auto",
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    tools: [],
    toolChoice: { type: "auto" },
    parallelToolCalls: true,
    warnings: [],
    ...rest,
  };
}
