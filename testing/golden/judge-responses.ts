import { isDeepStrictEqual } from "node:util";
import type { SseEvent } from "../clients/parse-sse.js";
import type { Answer } from "./dialect.js";
import { type ResponseItem, ResponseObject, ResponsesEvent } from "./responses-shapes.js";
import { isJsonObject, rule, shape } from "./rule.js";

type Type = ResponsesEvent["type"];
type PartEvent = Exclude<ResponsesEvent, { response: unknown } | { item: unknown }>;

const ends: readonly Type[] = ["response.completed", "response.incomplete", "response.failed"];
const nextItem: readonly Type[] = ["response.output_item.added", ...ends];

/** The events that may follow each event. A failure may follow all of them except the last. */
const followers: Readonly<Record<Type | ResponseItem["type"], readonly Type[]>> = {
  "response.created": ["response.in_progress"],
  "response.in_progress": nextItem,
  "response.output_item.added": [], // it depends on the item
  message: ["response.content_part.added"],
  "response.content_part.added": ["response.output_text.delta"],
  "response.output_text.delta": ["response.output_text.delta", "response.output_text.done"],
  "response.output_text.done": ["response.content_part.done"],
  "response.content_part.done": ["response.content_part.added", "response.output_item.done"],
  reasoning: ["response.reasoning_summary_part.added", "response.output_item.done"],
  "response.reasoning_summary_part.added": ["response.reasoning_summary_text.delta"],
  "response.reasoning_summary_text.delta": [
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
  ],
  "response.reasoning_summary_text.done": ["response.reasoning_summary_part.done"],
  "response.reasoning_summary_part.done": ["response.reasoning_summary_part.added", "response.output_item.done"],
  function_call: ["response.function_call_arguments.delta"],
  "response.function_call_arguments.delta": [
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
  ],
  "response.function_call_arguments.done": ["response.output_item.done"],
  "response.output_item.done": nextItem,
  "response.completed": [],
  "response.incomplete": [],
  "response.failed": [],
};

export function judgeResponsesStream(events: readonly SseEvent[]): Answer {
  const judge = new ResponsesJudge();
  for (const { event: name, data } of events) {
    const event = shape(ResponsesEvent, JSON.parse(data));
    rule(name === event.type, `the event of type ${event.type} is named ${name}`);
    judge.push(event);
  }
  return judge.end();
}

class ResponsesJudge {
  #count = 0;
  #allowed: readonly Type[] = ["response.created"];
  #head: string | undefined;
  /** The finished items. */
  readonly #items: ResponseItem[] = [];
  /** The open item, and the texts of its parts so far. */
  #open: { item: ResponseItem; texts: string[] } | undefined;
  #final: ResponseObject | undefined;

  push(event: ResponsesEvent): void {
    const { type } = event;
    rule(this.#final === undefined, `${type} behind the end`);
    rule(event.sequence_number === this.#count++, "sequence_number counts from 0 without gaps");
    const isFailure = type === "response.failed" && this.#head !== undefined;
    rule(isFailure || this.#allowed.includes(type), `${type} instead of ${this.#allowed.join(" or ")}`);
    this.#allowed = followers[type === "response.output_item.added" ? event.item.type : type];
    if ("response" in event) this.#whole(type, event.response);
    else if ("item" in event) this.#item(type, event.item, event.output_index);
    else this.#part(event);
  }

  end(): Answer {
    rule(this.#final !== undefined, "the stream ends without a terminal event");
    const answer = answerOf(this.#final);
    // A response that broke off has been read as well.
    const { item, texts = [] } = this.#open ?? {};
    return item?.type === "message" ? { ...answer, text: answer.text + texts.join("") } : answer;
  }

  #whole(type: Type, response: ResponseObject): void {
    const head = JSON.stringify([response.id, response.created_at, response.model]);
    rule((this.#head ?? head) === head, "id, time and model are the same in every event");
    this.#head = head;
    if (ends.includes(type)) {
      rule(this.#open === undefined || type === "response.failed", "the response ends while an item is open");
      rule(type === `response.${response.status}`, `${type} tells the status ${response.status}`);
      rule(isDeepStrictEqual(response.output, this.#items), "the output is what came item by item");
      this.#final = response;
      return;
    }
    const { status, output, usage, completed_at } = response;
    rule(status === "in_progress" && output.length === 0, "a response begins in progress, and empty");
    rule(usage === null && completed_at === null, "usage and the time of the end are null before it");
  }

  #item(type: Type, item: ResponseItem, index: number): void {
    rule(index === this.#items.length, "items are counted from 0 without gaps");
    const texts = textsOf(item);
    if (type === "response.output_item.added") {
      rule(item.status === undefined || item.status === "in_progress", "an item begins in progress");
      rule(texts.join("") === "", "an item begins empty");
      rule(!this.#items.some(({ id }) => id === item.id), "items have ids of their own");
      this.#open = { item, texts };
      return;
    }
    rule(item.status !== "in_progress", "an item that is done is not in progress");
    rule(item.id === this.#open?.item.id && item.type === this.#open.item.type, "an item is done as it was added");
    rule(isDeepStrictEqual(texts, this.#open.texts), "an item is what its deltas said");
    this.#open = undefined;
    this.#items.push(item);
  }

  #part(event: PartEvent): void {
    const { item, texts = [] } = this.#open ?? {};
    rule(item?.id === event.item_id && event.output_index === this.#items.length, "parts belong to the open item");
    if (event.type.endsWith("part.added")) texts.push("");
    const index = "content_index" in event ? event.content_index : "summary_index" in event ? event.summary_index : 0;
    rule(index === texts.length - 1, "parts are counted from 0 without gaps");
    if ("delta" in event) texts[index] += event.delta;
    else rule(textOf(event) === texts[index], "a part is what its deltas said");
    if ("name" in event) rule(item.type === "function_call" && event.name === item.name, "a call keeps its name");
  }
}

function textOf(event: Exclude<PartEvent, { delta: string }>): string {
  if ("part" in event) return event.part.text;
  return "text" in event ? event.text : event.arguments;
}

/** The text of an item's deltas, by its parts. */
function textsOf(item: ResponseItem): string[] {
  switch (item.type) {
    case "message":
      return item.content.map(({ text }) => text);
    case "reasoning":
      return item.summary.map(({ text }) => text);
    case "function_call":
      return [item.arguments];
  }
}

export function judgeResponsesReply(body: unknown): Answer {
  return answerOf(shape(ResponseObject, body));
}

function answerOf({ status, output, usage, error, incomplete_details, completed_at }: ResponseObject): Answer {
  rule(status !== "in_progress", "a response that is over is not in progress");
  rule(usage !== null, "a response that is over has usage");
  rule(usage.total_tokens === usage.input_tokens + usage.output_tokens, "total_tokens is the sum");
  rule(usage.input_tokens_details.cached_tokens <= usage.input_tokens, "input_tokens include the cached ones");
  rule(usage.output_tokens > 0 || status === "failed", "what was said costs output tokens");
  rule((status === "failed") === (error !== null), "an error goes with the status failed");
  rule((status === "incomplete") === (incomplete_details !== null), "incomplete_details go with the status incomplete");
  rule((status === "completed") === (completed_at !== null), "completed_at goes with the status completed");
  const textOf = (type: ResponseItem["type"]) =>
    output.flatMap((each) => (each.type === type ? textsOf(each) : [])).join("");
  const calls = output.flatMap((item) =>
    item.type === "function_call" ? [{ id: item.call_id, name: item.name, input: item.arguments }] : [],
  );
  for (const { name, input } of calls)
    rule(isJsonObject(input), `the arguments of ${name} are no JSON object: ${input}`);
  rule(new Set(calls.map(({ id }) => id)).size === calls.length, "calls have ids of their own");
  const said = { text: textOf("message"), thinking: textOf("reasoning"), calls };
  if (status === "failed") return { ...said, ending: "error" };
  if (incomplete_details !== null)
    return { ...said, ending: incomplete_details.reason === "content_filter" ? "filtered" : "length" };
  return { ...said, ending: calls.length > 0 ? "calls" : "stop" };
}
