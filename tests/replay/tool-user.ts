import { setTimeout as sleep } from "node:timers/promises";
import type { ChatMessage, ToolCall } from "../../testing/clients/tool-client.js";
import { type ChatOutcome, ContractBroken, strictChat } from "./strict-chat.js";

/** How a client behaves in one user turn. */
export interface Habits {
  stream: boolean;
  /** The order in which results are given back. */
  order: "as-called" | "reversed";
  /** Gives the first results back in a request of their own. */
  inParts: boolean;
  /** When told of missing calls again: keeps that message, or goes on with the one it has. */
  keepsTellings: boolean;
  /** In this request of the turn it goes away behind so many frames, and asks again. */
  leaves: { request: number; afterFrames: number } | undefined;
  /** Instead of results in this round it says something else. */
  dropsResultsAt: number | undefined;
  /** Asks again also when an answer broke off, and forgets what it had of it. */
  retriesBroken: boolean;
  /** What happens while it runs the calls of a round. */
  whileRunning?: (round: number) => Promise<void>;
}

export const plainHabits: Habits = {
  stream: true,
  order: "as-called",
  inParts: false,
  keepsTellings: false,
  leaves: undefined,
  dropsResultsAt: undefined,
  retriesBroken: false,
};

/** What a user turn came to: the model's words, and its calls as `name {arguments}` in the order in which they were told. */
export interface TurnRecord {
  text: string;
  calls: string[];
  /** "dropped": the client went on without giving results. */
  end: "stop" | "dropped" | "error";
}

/** A client with tools that it really runs, and that keeps count of what it ran. */
export class ToolUser {
  readonly messages: ChatMessage[] = [];
  readonly turns: TurnRecord[] = [];
  /** How often each call, as `name {arguments}`, was run. */
  readonly executions = new Map<string, number>();
  readonly continuities: string[] = [];
  /** Requests that were made again because the first try failed. */
  retries = 0;
  /** What the model had read at the newest reply. */
  promptTokens = 0;
  readonly #url: string;
  readonly #tools: readonly unknown[];
  readonly #results = new Map<string, string>();
  readonly #reported = new Map<string, string>();

  constructor(url: string, tools: readonly unknown[]) {
    this.#url = url;
    this.#tools = tools;
  }

  /** One user turn, up to its last word. False when it ended in an error. */
  async say(words: string, habits: Habits = plainHabits): Promise<boolean> {
    this.messages.push({ role: "user", content: words });
    const turn: TurnRecord = { text: "", calls: [], end: "error" };
    this.turns.push(turn);
    for (let round = 0, request = 0; ; round++) {
      const reply = await this.#ask(habits, request++);
      if (reply.kind !== "reply") {
        if (reply.kind === "broken") turn.text += reply.text;
        return false;
      }
      turn.text += reply.text;
      this.messages.push(assistantMessage(reply));
      turn.calls.push(...reply.calls.map((call) => this.#run(call)));
      if (reply.calls.length === 0) {
        turn.end = "stop";
        return true;
      }
      if (habits.dropsResultsAt === round) {
        if (habits.inParts) this.#giveBack(reply.calls.slice(1));
        turn.end = "dropped";
        return true;
      }
      await habits.whileRunning?.(round);
      let missing = habits.order === "reversed" ? reply.calls.toReversed() : reply.calls;
      while (habits.inParts && missing.length > 1) {
        this.#giveBack(missing.slice(0, 1));
        missing = missing.slice(1);
        const again = await this.#ask(habits, request++);
        if (again.kind !== "reply") return false;
        this.#checkTellings(again, missing);
        if (habits.keepsTellings) this.messages.push(assistantMessage(again));
      }
      this.#giveBack(missing);
    }
  }

  /**
   * A request that failed is made once more, as clients do, when the time is over that it was told to wait; it must then succeed,
   * for only one thing goes wrong at a time.
   */
  async #ask(
    { stream, leaves, retriesBroken }: Habits,
    request: number,
  ): Promise<Exclude<ChatOutcome, { kind: "left" }>> {
    const body = { messages: this.messages, tools: this.#tools, stream };
    let outcome = await strictChat(this.#url, {
      ...body,
      leaveAfter: leaves?.request === request ? leaves.afterFrames : undefined,
    });
    if (outcome.kind === "left") outcome = await strictChat(this.#url, body);
    if (outcome.kind === "refused" || (outcome.kind === "broken" && retriesBroken)) {
      this.retries++;
      const first = outcome;
      if (first.kind === "refused") await sleep(first.retryAfterMs);
      outcome = await strictChat(this.#url, body);
      // Whose answer broke off was not told how long to wait, and is now.
      if (outcome.kind === "refused" && outcome.isHeld && first.kind === "broken") {
        await sleep(outcome.retryAfterMs);
        outcome = await strictChat(this.#url, body);
      }
      if (outcome.kind !== "reply")
        throw new ContractBroken(`${first.kind} by ${first.code}, and then ${outcome.kind}`);
    }
    if (outcome.kind === "left") throw new ContractBroken("left without being asked to");
    if (outcome.kind === "reply") {
      this.continuities.push(outcome.continuity);
      this.promptTokens = outcome.promptTokens;
    }
    return outcome;
  }

  /** Runs a call that is new. One that was told before keeps its result. */
  #run(call: ToolCall): string {
    const named = nameCall(call);
    if (this.#results.has(call.id)) throw new ContractBroken(`${named} was reported twice`);
    this.#reported.set(call.id, named);
    const times = (this.executions.get(named) ?? 0) + 1;
    this.executions.set(named, times);
    this.#results.set(call.id, `#${times} of ${named}`);
    return named;
  }

  /** Gives all calls other ids, as clients do that keep histories in a form of their own. */
  renameCalls(): void {
    const rename = (id: string) => id.replace(/^call_/, "renamed_");
    for (const message of this.messages) {
      if (message.role === "tool") message.tool_call_id = rename(message.tool_call_id);
      if (message.role === "assistant") for (const call of message.tool_calls ?? []) call.id = rename(call.id);
    }
    for (const map of [this.#results, this.#reported]) {
      for (const [id, value] of [...map]) map.set(rename(id), value);
    }
  }

  #giveBack(calls: readonly ToolCall[]): void {
    for (const { id } of calls) {
      this.messages.push({ role: "tool", tool_call_id: id, content: this.#results.get(id) });
    }
  }

  #checkTellings({ text, calls }: { text: string; calls: readonly ToolCall[] }, missing: readonly ToolCall[]): void {
    const ids = (list: readonly ToolCall[]) => list.map(({ id }) => id).sort();
    if (text !== "" || ids(calls).join() !== ids(missing).join()) {
      throw new ContractBroken(`reported "${text}" and ${calls.map(nameCall)}; missing were ${missing.map(nameCall)}`);
    }
    for (const call of calls) {
      if (this.#reported.get(call.id) !== nameCall(call))
        throw new ContractBroken(`${nameCall(call)} was something else`);
    }
  }
}

function assistantMessage({ text, calls }: { text: string; calls: ToolCall[] }): ChatMessage {
  return { role: "assistant", content: text || null, ...(calls.length > 0 && { tool_calls: calls }) };
}

function nameCall({ function: { name, arguments: json } }: ToolCall): string {
  return `${name} ${JSON.stringify(JSON.parse(json))}`;
}
