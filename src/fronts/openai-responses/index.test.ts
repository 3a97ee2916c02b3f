import { z } from "zod";
import type { SseEvent } from "../../../testing/clients/parse-sse.js";
import { describeFront } from "../front.cases.js";
import { openaiResponses } from "./index.js";

const Output = z.array(
  z.looseObject({ content: z.array(z.looseObject({ type: z.string(), text: z.string() })).optional() }),
);
const Reply = z.looseObject({ output: Output });
const ErrorBody = z.union([
  z.looseObject({ error: z.looseObject({ message: z.string() }) }),
  z
    .looseObject({ response: z.looseObject({ error: z.looseObject({ message: z.string() }) }) })
    .transform((each) => each.response),
]);

const last = ["response.completed", "response.incomplete", "response.failed"];

function dataOf(events: readonly SseEvent[], type: string): Record<string, unknown>[] {
  return events.filter(({ event }) => event === type).map(({ data }) => JSON.parse(data));
}

describeFront("openai-responses", openaiResponses, {
  body: { model: "some-model", stream: true, input: "hi" },
  textOf: (events) =>
    dataOf(events, "response.output_text.delta")
      .map(({ delta }) => delta)
      .join(""),
  textOfReply: (reply) =>
    Reply.parse(reply)
      .output.flatMap(({ content }) => content ?? [])
      .map(({ text }) => text)
      .join(""),
  finishesOf: (events) => events.map(({ event }) => event).filter((event) => last.includes(event ?? "")),
  messageOf: (body) => ErrorBody.parse(body).error.message,
});
