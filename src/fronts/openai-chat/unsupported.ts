import { unsupported } from "../parts/request-problem.js";
import type { ChatRequest } from "./schema.js";

interface Refusal {
  readonly param: string;
  readonly isAskedIn: (request: ChatRequest) => boolean;
  readonly reason: string;
}

const noLogprobs = "Cursor does not tell how likely a token was; leave this out";
const noAudio = "answers are text; leave this out";

/** What OpenAI refuses for models that lack it: an answer without it would not be what the client goes on with. */
const refusals: readonly Refusal[] = [
  {
    param: "n",
    isAskedIn: ({ n }) => (n ?? 1) > 1,
    reason: "one request gives one choice here; send the request several times",
  },
  { param: "logprobs", isAskedIn: ({ logprobs }) => logprobs === true, reason: noLogprobs },
  { param: "top_logprobs", isAskedIn: ({ top_logprobs }) => (top_logprobs ?? 0) > 0, reason: noLogprobs },
  {
    param: "modalities",
    isAskedIn: ({ modalities }) => modalities?.some((each) => each !== "text") ?? false,
    reason: noAudio,
  },
  { param: "audio", isAskedIn: ({ audio }) => Boolean(audio), reason: noAudio },
];

export function refuseUnsupported(request: ChatRequest): void {
  const refusal = refusals.find(({ isAskedIn }) => isAskedIn(request));
  if (refusal !== undefined) throw unsupported(refusal.param, refusal.reason);
}
