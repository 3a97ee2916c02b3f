import type { SseEvent } from "../../../../testing/clients/parse-sse.js";
import { describeFront } from "../front.cases.js";
import { openaiChat } from "./index.js";

interface Choice {
  readonly delta: { readonly content?: string };
  readonly message: { readonly content: string };
  readonly finish_reason: string | null;
}

function choicesOf(events: readonly SseEvent[]): Choice[] {
  return events.filter(({ data }) => data !== "[DONE]").flatMap(({ data }) => JSON.parse(data).choices);
}

describeFront("openai-chat", openaiChat, {
  body: {
    model: "some-model",
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: "hi" }],
  },
  textsOf: (events) => choicesOf(events).map(({ delta }) => delta.content),
  textsOfReply: ({ choices }: { choices: Choice[] }) => choices.map(({ message }) => message.content),
  finishesOf: (events) => choicesOf(events).flatMap(({ finish_reason }) => finish_reason ?? []),
});
