import { GatewayError } from "../../turn/error.js";
import type { Batch, TurnEvent } from "../../turn/event.js";
import type { ToolChoice, ToolDefinition, Turn } from "../../turn/turn.js";

/** The instruction that goes with the user message; empty when the model is free. */
export function toolChoiceInstruction(choice: ToolChoice, parallelToolCalls: boolean): string {
  if (choice.type === "none") return "Answer this message in text alone, without calling any tool.";
  const sentences: string[] = [];
  if (choice.type === "required") {
    sentences.push("Answer this message by calling at least one of the offered tools, not in text alone.");
  }
  if (choice.type === "tool") {
    sentences.push(`Answer this message by calling the tool "${choice.name}" and no other, not in text alone.`);
  }
  if (!parallelToolCalls) sentences.push("Call one tool at a time and wait for its result before calling the next.");
  return sentences.join(" ");
}

/** All tools stay offered, because Cursor's cache needs the same text in every turn. @throws GatewayError for a choice without its tool */
export function callableTools(tools: readonly ToolDefinition[], choice: ToolChoice): readonly ToolDefinition[] {
  switch (choice.type) {
    case "auto":
      return tools;
    case "none":
      return [];
    case "required":
      if (tools.length === 0) {
        const text = "tool_choice requires a tool call, but the request offers no tool that can be called.";
        throw refused(`${text} Send tools with it, or set it to auto.`);
      }
      return tools;
    case "tool": {
      const named = tools.filter(({ name }) => name === choice.name);
      if (named.length === 0) {
        throw refused(`tool_choice names the tool "${choice.name}", which is not among the tools of the request.`);
      }
      return named;
    }
  }
}

/** Whether the client left the model one tool and no other answer: then the call itself is often all that the client needs. */
export function isForcedCall({ tools, toolChoice }: Pick<Turn, "tools" | "toolChoice">): boolean {
  return toolChoice.type === "tool" || (toolChoice.type === "required" && tools.length === 1);
}

function refused(message: string): GatewayError {
  return new GatewayError("invalid_request", message, { param: "tool_choice" });
}

export class ChoiceKeeper {
  /** The next user message when the call was not made; empty when the choice demands nothing. */
  readonly nudge: string;
  isHonoured: boolean;
  readonly #choice: ToolChoice;

  constructor(choice: ToolChoice) {
    this.#choice = choice;
    this.isHonoured = choice.type === "auto" || choice.type === "none";
    this.nudge = nudgeFor(choice);
  }

  push(batch: Batch): void {
    if (this.isHonoured) return;
    for (const event of batch) if (this.#satisfies(event)) this.isHonoured = true;
  }

  #satisfies(event: TurnEvent): boolean {
    // The client asked for a call that it can answer, so a call that was run elsewhere does not count.
    if (event.type === "call" && event.runs === "client") {
      return this.#choice.type !== "tool" || this.#choice.name === event.name;
    }
    // A reply that was cut short broke no rule, and a second one would be cut short too.
    return event.type === "finish" && (event.reason === "length" || event.reason === "filtered");
  }
}

function nudgeFor(choice: ToolChoice): string {
  switch (choice.type) {
    case "auto":
    case "none":
      return "";
    case "required":
      return "No tool was called, but a tool call is required here. Call one of the offered tools now.";
    case "tool":
      return `The tool "${choice.name}" was not called, but this call is required here. Call "${choice.name}" now.`;
  }
}

/** For one reply to a client without parallel calls: its first client call passes, the others stay with the run. */
export class OneAtATime {
  #first: string | undefined;
  readonly #held = new Set<string>();

  /** Returns the same array when nothing is held back, and an empty one when everything is. */
  push(batch: Batch): Batch {
    const passed = batch.filter((event) => !this.#holds(event));
    return passed.length === batch.length ? batch : passed;
  }

  #holds(event: TurnEvent): boolean {
    if (event.type === "call" && event.runs === "client") {
      this.#first ??= event.id;
      if (event.id !== this.#first) this.#held.add(event.id);
      return event.id !== this.#first;
    }
    return (event.type === "call-input" || event.type === "call-end") && this.#held.has(event.id);
  }
}

const MAX_LISTS = 64;
/** The limit for all lists together, as JSON. The largest lists of clients have a few hundred thousand characters. */
const MAX_CHARACTERS = 2 * 1024 * 1024;

type ToolList = readonly ToolDefinition[];

const none: ToolList = [];

/** Makes equal lists of tools one object, so that anything derived from a list is computed once (turn/per-tool-list.ts). */
export class ToolLists {
  /** Lists by their JSON; the most recently used comes last. */
  readonly #known = new Map<string, readonly ToolDefinition[]>();
  #characters = 0;
  /** By its first tool, the last list that began with it: clients repeat their tools, and those are the same objects. */
  readonly #lastOf = new WeakMap<ToolDefinition, { readonly given: ToolList; readonly same: ToolList }>();

  same(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    if (tools.length === 0) return none;
    const [first] = tools;
    const last = first && this.#lastOf.get(first);
    if (last?.given.length === tools.length && last.given.every((tool, at) => tool === tools[at])) return last.same;
    const same = this.#sameJson(tools);
    if (first !== undefined) this.#lastOf.set(first, { given: tools, same });
    return same;
  }

  #sameJson(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    const json = JSON.stringify(tools);
    if (json.length > MAX_CHARACTERS) return tools;
    const same = this.#known.get(json) ?? tools;
    if (!this.#known.delete(json)) this.#characters += json.length;
    this.#known.set(json, same);
    this.#dropOldest();
    return same;
  }

  #dropOldest(): void {
    for (const json of this.#known.keys()) {
      if (this.#known.size <= MAX_LISTS && this.#characters <= MAX_CHARACTERS) return;
      this.#known.delete(json);
      this.#characters -= json.length;
    }
  }
}
