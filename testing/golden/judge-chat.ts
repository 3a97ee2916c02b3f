import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import { z } from "zod";
import type { SseEvent } from "../clients/parse-sse.js";
import type { Answer, Call } from "./dialect.js";
import { OpenAiFailure } from "./judge-openai-error.js";
import { isJsonObject, rule, shape } from "./rule.js";
import { TurnUsage } from "./turn-usage-shape.js";

const count = z.int().nonnegative();
const word = z.string().min(1);
const finish = z.enum(["stop", "length", "tool_calls", "content_filter"]);

const Usage = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.strictObject({ cached_tokens: count }),
  completion_tokens_details: z.strictObject({ reasoning_tokens: count }),
  curlew_turn: TurnUsage.optional(),
});

const CallDelta = z.union([
  z.strictObject({
    index: count,
    id: word,
    type: z.literal("function"),
    function: z.strictObject({ name: word, arguments: z.string() }),
  }),
  z.strictObject({ index: count, function: z.strictObject({ arguments: z.string() }) }),
]);

const Delta = z.strictObject({
  role: z.literal("assistant").exactOptional(),
  content: z.string().exactOptional(),
  reasoning_content: word.exactOptional(),
  tool_calls: z.tuple([CallDelta]).exactOptional(),
});

const Chunk = z.strictObject({
  id: z.string().startsWith("chatcmpl-"),
  object: z.literal("chat.completion.chunk"),
  created: count,
  model: word,
  choices: z
    .array(z.strictObject({ index: z.literal(0), delta: Delta, logprobs: z.null(), finish_reason: finish.nullable() }))
    .max(1),
  usage: Usage.nullable(),
});

const Completion = z.strictObject({
  id: z.string().startsWith("chatcmpl-"),
  object: z.literal("chat.completion"),
  created: count,
  model: word,
  choices: z.tuple([
    z.strictObject({
      index: z.literal(0),
      message: z.strictObject({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        refusal: z.null(),
        reasoning_content: word.exactOptional(),
        tool_calls: z
          .array(
            z.strictObject({
              id: word,
              type: z.literal("function"),
              function: z.strictObject({ name: word, arguments: word }),
            }),
          )
          .min(1)
          .exactOptional(),
      }),
      logprobs: z.null(),
      finish_reason: finish,
    }),
  ]),
  usage: Usage,
});

// The official client must accept everything that the judge accepts.
const _chunk = (chunk: Chunk): ChatCompletionChunk => chunk;
const _completion = (completion: z.output<typeof Completion>): ChatCompletion => completion;

type Usage = z.output<typeof Usage>;
type Delta = z.output<typeof Delta>;
type Chunk = z.output<typeof Chunk>;
type FinishReason = z.output<typeof finish>;

/** A whole stream of a request that wants usage. */
export function judgeChatStream(events: readonly SseEvent[]): Answer {
  const judge = new ChatJudge();
  for (const { event, data } of events) {
    rule(event === undefined, "chunks have no event name");
    judge.push(data);
  }
  return judge.end();
}

class ChatJudge {
  #text = "";
  #thinking = "";
  readonly #calls: Call[] = [];
  #head: string | undefined;
  #finish: FinishReason | undefined;
  #hasUsage = false;
  #over: "done" | "error" | undefined;

  push(data: string): void {
    rule(this.#over === undefined, `something behind the end: ${data.slice(0, 200)}`);
    if (data === "[DONE]") {
      rule(this.#finish !== undefined, "the stream ends without a finish_reason");
      rule(this.#hasUsage, "the stream ends without usage");
      this.#over = "done";
      return;
    }
    const json: unknown = JSON.parse(data);
    if (typeof json === "object" && json !== null && "error" in json) {
      shape(OpenAiFailure, json);
      rule(this.#finish === undefined, "an error behind the finish");
      this.#over = "error";
      return;
    }
    this.#chunk(shape(Chunk, json));
  }

  end(): Answer {
    rule(this.#over !== undefined, "the stream ends with neither [DONE] nor an error");
    const said = { text: this.#text, thinking: this.#thinking, calls: this.#calls };
    return { ...said, ending: this.#finish === undefined ? "error" : endingOf(this.#finish, this.#calls) };
  }

  #chunk({ id, created, model, choices: [choice], usage }: Chunk): void {
    const head = JSON.stringify({ id, created, model });
    rule((this.#head ?? head) === head, "id, time and model are the same in every chunk");
    if (choice === undefined) {
      rule(this.#finish !== undefined && !this.#hasUsage, "usage comes once, behind the finish");
      judgeUsage(usage);
      this.#hasUsage = true;
    } else {
      rule(usage === null, "usage is null but for the last chunk");
      rule(this.#finish === undefined, "a choice behind the finish");
      rule((this.#head === undefined) === (choice.delta.role !== undefined), "the first delta alone has the role");
      this.#delta(choice.delta);
      if (choice.finish_reason !== null) this.#finish = choice.finish_reason;
    }
    this.#head = head;
  }

  #delta({ content = "", reasoning_content = "", tool_calls }: Delta): void {
    this.#text += content;
    this.#thinking += reasoning_content;
    const call = tool_calls?.[0];
    if (call === undefined) return;
    if ("id" in call) {
      rule(call.index === this.#calls.length, "calls are counted from 0 without gaps");
      this.#calls.push({ id: call.id, name: call.function.name, input: call.function.arguments });
    } else {
      const last = this.#calls.at(-1);
      rule(last !== undefined && call.index === this.#calls.length - 1, "arguments belong to the newest call");
      last.input += call.function.arguments;
    }
  }
}

export function judgeChatReply(body: unknown): Answer {
  const { choices, usage } = shape(Completion, body);
  judgeUsage(usage);
  const [{ message, finish_reason }] = choices;
  const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({ id, name, input }));
  rule(message.content !== null || calls.length > 0, "content is null beside calls only");
  const ending = endingOf(finish_reason, calls);
  return { text: message.content ?? "", thinking: message.reasoning_content ?? "", calls, ending };
}

function judgeUsage(usage: Usage | null): void {
  rule(usage !== null, "the chunk without a choice has no usage");
  rule(usage.total_tokens === usage.prompt_tokens + usage.completion_tokens, "total_tokens is the sum");
  rule(usage.prompt_tokens_details.cached_tokens <= usage.prompt_tokens, "prompt_tokens include the cached ones");
  rule(usage.completion_tokens > 0, "what was said costs output tokens");
}

function endingOf(reason: FinishReason, calls: readonly Call[]): Answer["ending"] {
  rule(new Set(calls.map(({ id }) => id)).size === calls.length, "calls have ids of their own");
  for (const { name, input } of calls)
    rule(isJsonObject(input), `the arguments of ${name} are no JSON object: ${input}`);
  rule((reason === "tool_calls") === calls.length > 0, `finish_reason is ${reason} with ${calls.length} calls`);
  const endings = { stop: "stop", length: "length", tool_calls: "calls", content_filter: "filtered" } as const;
  return endings[reason];
}
