import { z } from "zod";
import type { ClientRequest, ParsedRequest } from "../front.js";
import { invalidField } from "../parts/query.js";
import { isSet, NO_LOGPROBS, ONE_CHOICE, readBody, unhonoured, unsupported } from "../parts/request-problem.js";
import { ModelName, Stop, TokenLimit, toLimits } from "../parts/request-schema.js";

export const CompletionRequest = z.looseObject({
  model: ModelName,
  // The API also takes token ids, which only the model's own tokenizer could read.
  prompt: z.union([z.string(), z.array(z.string()), z.array(z.number()), z.array(z.array(z.number()))]),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  echo: z.boolean().nullish(),
  stop: Stop,
  max_tokens: TokenLimit,
  n: z.number().nullish(),
  best_of: z.number().nullish(),
  suffix: z.string().nullish(),
  logprobs: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  seed: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  logit_bias: z.looseObject({}).nullish(),
});

export type CompletionRequest = z.infer<typeof CompletionRequest>;

const warnOfUnhonoured = unhonoured<CompletionRequest>({
  temperature: ({ temperature }) => (temperature ?? 1) !== 1,
  top_p: ({ top_p }) => (top_p ?? 1) !== 1,
  presence_penalty: ({ presence_penalty }) => Boolean(presence_penalty),
  frequency_penalty: ({ frequency_penalty }) => Boolean(frequency_penalty),
  seed: ({ seed }) => isSet(seed),
  logit_bias: ({ logit_bias }) => Object.keys(logit_bias ?? {}).length > 0,
});

export interface CompletionOptions {
  readonly includeUsage: boolean;
  /** The prompt, if the client wants it repeated before the answer. */
  readonly echo: string;
}

/** Chat models comment on a text that they are given; this makes them continue it. */
const SYSTEM =
  "You complete texts. Reply with nothing but what comes directly after the given text, without repeating it, without remarks and " +
  "without code fences around it. If the text is a question or an instruction, reply with the answer alone.";

export function parseRequest({ body }: Pick<ClientRequest, "body">): ParsedRequest<CompletionOptions> {
  const request = readBody(CompletionRequest, body);
  refuseUnsupported(request);
  const prompt = toPrompt(request.prompt);
  return {
    turn: {
      model: request.model,
      system: SYSTEM,
      messages: [{ role: "user", content: [{ type: "text", text: prompt }] }],
      tools: [],
      toolChoice: { type: "auto" },
      parallelToolCalls: true,
      ...toLimits(request.stop, request.max_tokens),
      warnings: warnOfUnhonoured(request),
    },
    wantsStream: request.stream ?? false,
    request: {
      includeUsage: request.stream_options?.include_usage ?? false,
      echo: request.echo === true ? prompt : "",
    },
  };
}

function toPrompt(prompt: CompletionRequest["prompt"]): string {
  const [text, ...others] = [prompt].flat();
  if (others.length > 0 && typeof text === "string") throw unsupported("prompt", "send one request for each prompt");
  if (text !== undefined && typeof text !== "string") throw unsupported("prompt", "send text instead of token ids");
  if (!text) throw invalidField("prompt", "must not be empty");
  return text;
}

function refuseUnsupported({ n, best_of, suffix, logprobs }: CompletionRequest): void {
  if ((n ?? 1) > 1) throw unsupported("n", ONE_CHOICE);
  if ((best_of ?? 1) > 1) throw unsupported("best_of", ONE_CHOICE);
  if (suffix) throw unsupported("suffix", "Cursor's models cannot fill a gap; ask in the prompt for what is missing");
  if (typeof logprobs === "number") throw unsupported("logprobs", NO_LOGPROBS);
}
