import { z } from "zod";
import type { SseEvent } from "../../../testing/clients/parse-sse.js";
import { describeFront } from "../front.cases.js";
import { openaiChat } from "./index.js";

const Chunk = z.looseObject({
  choices: z.array(
    z.looseObject({
      delta: z.looseObject({ content: z.string().optional() }),
      finish_reason: z.string().nullable(),
    }),
  ),
});
const Reply = z.looseObject({ choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })) });
const ErrorBody = z.looseObject({ error: z.looseObject({ message: z.string() }) });

function choicesOf(events: readonly SseEvent[]) {
  return events.filter(({ data }) => data !== "[DONE]").flatMap(({ data }) => Chunk.parse(JSON.parse(data)).choices);
}

describeFront("openai-chat", openaiChat, {
  body: {
    model: "some-model",
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: "hi" }],
  },
  textOf: (events) =>
    choicesOf(events)
      .map(({ delta }) => delta.content ?? "")
      .join(""),
  textOfReply: (reply) => Reply.parse(reply).choices[0]?.message.content ?? "",
  finishesOf: (events) =>
    choicesOf(events)
      .map(({ finish_reason }) => finish_reason)
      .filter((reason) => reason !== null),
  messageOf: (body) => ErrorBody.parse(body).error.message,
});
