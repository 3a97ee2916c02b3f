import type { SseEvent } from "../../../../testing/clients/parse-sse.js";
import { describeFront } from "../front.cases.js";
import { openaiCompletions } from "./index.js";

interface Choice {
  readonly text: string;
  readonly finish_reason: string | null;
}

function choicesOf(events: readonly SseEvent[]): Choice[] {
  return events.filter(({ data }) => data !== "[DONE]").flatMap(({ data }) => JSON.parse(data).choices);
}

describeFront("openai-completions", openaiCompletions, {
  body: { model: "some-model", prompt: "Once", stream: true, stream_options: { include_usage: true } },
  textsOf: (events) => choicesOf(events).map(({ text }) => text),
  textsOfReply: ({ choices }: { choices: Choice[] }) => choices.map(({ text }) => text),
  finishesOf: (events) => choicesOf(events).flatMap(({ finish_reason }) => finish_reason ?? []),
});
