import { z } from "zod";
import type { SseEvent } from "../../../testing/clients/parse-sse.js";
import { describeFront } from "../front.cases.js";
import { openaiCompletions } from "./index.js";

const Completion = z.looseObject({
  choices: z.array(z.looseObject({ text: z.string(), finish_reason: z.string().nullable() })),
});
const ErrorBody = z.looseObject({ error: z.looseObject({ message: z.string() }) });

function choicesOf(events: readonly SseEvent[]) {
  return events
    .filter(({ data }) => data !== "[DONE]")
    .flatMap(({ data }) => Completion.parse(JSON.parse(data)).choices);
}

describeFront("openai-completions", openaiCompletions, {
  body: { model: "some-model", prompt: "Once", stream: true, stream_options: { include_usage: true } },
  textOf: (events) =>
    choicesOf(events)
      .map(({ text }) => text)
      .join(""),
  textOfReply: (reply) => Completion.parse(reply).choices[0]?.text ?? "",
  finishesOf: (events) =>
    choicesOf(events)
      .map(({ finish_reason }) => finish_reason)
      .filter((reason) => reason !== null),
  messageOf: (body) => ErrorBody.parse(body).error.message,
});
