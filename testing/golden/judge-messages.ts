import type { SseEvent } from "../clients/parse-sse.js";
import type { Answer } from "./dialect.js";
import {
  type Block,
  type Delta,
  endings,
  Message,
  MessagesEvent,
  MessagesFailure,
  type Stop,
} from "./messages-shapes.js";
import { isJsonObject, rule, shape } from "./rule.js";

/** A content block as a client assembles it. */
interface BuiltBlock {
  type: Block["type"];
  /** Text, thinking, or the JSON of a call. */
  text: string;
  signature: string;
  /** The input of a call. */
  id: string;
  name: string;
}

const blockOf = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "thinking",
  input_json_delta: "tool_use",
} as const;

export function judgeMessagesStream(events: readonly SseEvent[]): Answer {
  const judge = new MessagesJudge();
  for (const { event: name, data } of events) {
    const event = shape(MessagesEvent, JSON.parse(data));
    rule(name === event.type, `the event of type ${event.type} is named ${name}`);
    judge.push(event);
  }
  return judge.end();
}

class MessagesJudge {
  readonly #blocks: BuiltBlock[] = [];
  #hasBegun = false;
  #isBlockOpen = false;
  #stop: Stop | undefined;
  #isOver = false;

  push(event: MessagesEvent): void {
    rule(!this.#isOver, `${event.type} behind the end`);
    rule(this.#hasBegun !== (event.type === "message_start"), "message_start comes first, and once");
    switch (event.type) {
      case "message_start":
        this.#hasBegun = true;
        break;
      case "content_block_start":
        rule(!this.#isBlockOpen, "one block is open at a time");
        rule(this.#stop === undefined, "a block behind message_delta");
        rule(event.index === this.#blocks.length, "blocks are counted from 0 without gaps");
        this.#isBlockOpen = true;
        this.#blocks.push(begin(event.content_block));
        break;
      case "content_block_delta":
        add(this.#open(event.index), event.delta);
        break;
      case "content_block_stop":
        judgeBlock(this.#open(event.index));
        this.#isBlockOpen = false;
        break;
      case "message_delta":
        rule(!this.#isBlockOpen, "message_delta while a block is open");
        rule(this.#stop === undefined, "message_delta comes once");
        rule(event.usage.output_tokens > 0, "what was said costs output tokens");
        this.#stop = event.delta;
        break;
      case "message_stop":
        rule(this.#stop !== undefined, "message_stop without message_delta");
        this.#isOver = true;
        break;
      case "error":
        rule(this.#stop === undefined, "an error behind the stop reason");
        this.#isOver = true;
        break;
      case "ping":
        break;
    }
  }

  end(): Answer {
    rule(this.#isOver, "the stream ends with neither message_stop nor an error");
    return answerOf(this.#blocks, this.#stop);
  }

  #open(index: number): BuiltBlock {
    const block = this.#blocks.at(-1);
    rule(block !== undefined && this.#isBlockOpen, "no block is open");
    rule(index === this.#blocks.length - 1, "the index is that of the open block");
    return block;
  }
}

function begin(block: Block): BuiltBlock {
  const built = build(block);
  rule((built.text === "" || built.text === "{}") && built.signature === "", "a block begins empty");
  return { ...built, text: "" };
}

function build(block: Block): BuiltBlock {
  const empty = { type: block.type, text: "", signature: "", id: "", name: "" };
  switch (block.type) {
    case "text":
      return { ...empty, text: block.text };
    case "thinking":
      return { ...empty, text: block.thinking, signature: block.signature };
    case "tool_use":
      return { ...empty, text: JSON.stringify(block.input), id: block.id, name: block.name };
  }
}

function add(block: BuiltBlock, delta: Delta): void {
  rule(blockOf[delta.type] === block.type, `${delta.type} in a block of type ${block.type}`);
  rule(block.signature === "", "the signature is the last of its block");
  if (delta.type === "text_delta") block.text += delta.text;
  if (delta.type === "thinking_delta") block.text += delta.thinking;
  if (delta.type === "input_json_delta") block.text += delta.partial_json;
  if (delta.type === "signature_delta") block.signature = delta.signature;
}

function judgeBlock({ type, text, signature, name }: BuiltBlock): void {
  if (type === "text") rule(text !== "", "a text block without text");
  if (type === "thinking") rule(signature !== "", "a thinking block without a signature");
  if (type === "tool_use") rule(isJsonObject(text), `the input of ${name} is no JSON object: ${text}`);
}

function answerOf(blocks: readonly BuiltBlock[], stop: Stop | undefined): Answer {
  const textOf = (type: Block["type"]) => blocks.map((block) => (block.type === type ? block.text : "")).join("");
  const calls = blocks.flatMap(({ type, id, name, text }) => (type === "tool_use" ? [{ id, name, input: text }] : []));
  rule(new Set(calls.map(({ id }) => id)).size === calls.length, "calls have ids of their own");
  const said = { text: textOf("text"), thinking: textOf("thinking"), calls };
  if (stop === undefined) return { ...said, ending: "error" };
  const { stop_reason, stop_sequence, stop_details } = stop;
  rule((stop_reason === "tool_use") === calls.length > 0, `stop_reason is ${stop_reason} with ${calls.length} calls`);
  rule((stop_reason === "stop_sequence") === (stop_sequence !== null), "stop_sequence goes with its reason");
  rule((stop_reason === "refusal") === (stop_details !== null), "stop_details go with a refusal");
  return { ...said, ending: endings[stop_reason] };
}

export function judgeMessagesReply(body: unknown): Answer {
  const { content, stop_reason, stop_sequence, stop_details, usage } = shape(Message, body);
  rule(usage.output_tokens > 0, "what was said costs output tokens");
  const blocks = content.map(build);
  for (const block of blocks) judgeBlock(block);
  return answerOf(blocks, { stop_reason, stop_sequence, stop_details });
}

export function judgeMessagesError(status: number, body: unknown): void {
  shape(MessagesFailure, body);
  rule(status >= 400, "an error has a status of its own");
}
