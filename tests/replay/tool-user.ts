import { setTimeout as sleep } from "node:timers/promises";
import type { ChatMessage, ToolCall } from "../../testing/clients/tool-client.js";
import { type ChatOutcome, type ChatRequest, ContractBroken, strictChat } from "./strict-chat.js";

/** How a client behaves in one user turn. */
export interface Habits {
  stream: boolean;
  /** The order in which it sends the results. */
  order: "as-called" | "reversed";
  /** Sends the first results in a separate request. */
  inParts: boolean;
  /** When it gets missing calls again: keeps that message, or continues with its own. */
  keepsTellings: boolean;
  /** In this request of the turn, it disconnects after this many frames and retries. */
  leaves: { request: number; afterFrames: number } | undefined;
  /** In this round, it sends another message instead of results. */
  dropsResultsAt: number | undefined;
  /** Also retries when an answer broke off, and drops that part. */
  retriesBroken: boolean;
  /** What the user types while calls run, by the number of calls so far. */
  typesAfter?: (calls: number) => string | undefined;
  /** Called while it runs the calls of a round. */
  whileRunning?: (round: number) => Promise<void>;
  /** Waits for the gateway after a broken connection, before a retry. */
  reconnect?: () => Promise<void>;
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

/** The result of a user turn: the model's words, and its calls as `name {arguments}` in order of arrival. */
export interface TurnRecord {
  text: string;
  calls: string[];
  /** "dropped": the client continued without sending results. */
  end: "stop" | "dropped" | "error";
}

/** A client that runs its tools and counts the calls. */
export class ToolUser {
  readonly messages: ChatMessage[] = [];
  readonly turns: TurnRecord[] = [];
  /** How often each call was run, as `name {arguments}`. */
  readonly executions = new Map<string, number>();
  readonly continuities: string[] = [];
  /** Number of retried requests. */
  retries = 0;
  /** The prompt tokens of the newest reply. */
  promptTokens = 0;
  readonly #url: () => string;
  readonly #tools: readonly unknown[];
  readonly #results = new Map<string, string>();
  readonly #reported = new Map<string, string>();

  /** A function, because a restarted gateway may have another address. */
  constructor(url: string | (() => string), tools: readonly unknown[]) {
    this.#url = typeof url === "string" ? () => url : url;
    this.#tools = tools;
  }

  /** Plays one user turn. False if it ended in an error. */
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
      const typed = habits.typesAfter?.(turn.calls.length);
      if (typed !== undefined) this.messages.push({ role: "user", content: typed });
    }
  }

  /**
   * Retries a failed request once, as clients do, after the time that the error asks to wait. The retry must succeed, because
   * only one thing goes wrong at a time.
   */
  async #ask(
    { stream, leaves, retriesBroken, reconnect }: Habits,
    request: number,
  ): Promise<Exclude<ChatOutcome, { kind: "left" }>> {
    const body = { messages: this.messages, tools: this.#tools, stream };
    const leaveAfter = leaves?.request === request ? leaves.afterFrames : undefined;
    let outcome = await this.#send({ ...body, leaveAfter }, reconnect);
    if (outcome.kind === "left") outcome = await this.#send(body, reconnect);
    if (outcome.kind === "refused" || (outcome.kind === "broken" && retriesBroken)) {
      this.retries++;
      const first = outcome;
      if (first.kind === "refused") await sleep(first.retryAfterMs);
      outcome = await this.#send(body, reconnect);
      // After a broken answer, only the second error has the time to wait.
      if (outcome.kind === "refused" && outcome.isHeld && first.kind === "broken") {
        await sleep(outcome.retryAfterMs);
        outcome = await this.#send(body, reconnect);
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

  async #send(request: ChatRequest, reconnect: Habits["reconnect"]): Promise<ChatOutcome> {
    try {
      return await strictChat(this.#url(), request);
    } catch (thrown) {
      if (reconnect === undefined || thrown instanceof ContractBroken) throw thrown;
      await reconnect();
      return strictChat(this.#url(), request);
    }
  }

  /** Runs a new call. A call that came before keeps its result. */
  #run(call: ToolCall): string {
    const named = nameCall(call);
    if (this.#results.has(call.id)) throw new ContractBroken(`${named} was reported twice`);
    this.#reported.set(call.id, named);
    const times = (this.executions.get(named) ?? 0) + 1;
    this.executions.set(named, times);
    this.#results.set(call.id, `#${times} of ${named}`);
    return named;
  }

  /** Renames all calls, like clients that keep histories in their own form. */
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
