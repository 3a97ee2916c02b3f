import { z } from "zod";
import type { SseEvent } from "../../../testing/clients/parse-sse.js";
import { describeFront } from "../front.cases.js";
import { anthropicMessages } from "./index.js";

const Delta = z.looseObject({
  delta: z.looseObject({ text: z.string().optional(), stop_reason: z.string().nullish() }),
});
const Reply = z.looseObject({ content: z.array(z.looseObject({ text: z.string().optional() })) });
const ErrorBody = z.looseObject({ error: z.looseObject({ message: z.string() }) });

function deltasOf(events: readonly SseEvent[], name: string) {
  return events.filter(({ event }) => event === name).map(({ data }) => Delta.parse(JSON.parse(data)).delta);
}

describeFront("anthropic-messages", anthropicMessages, {
  body: {
    model: "some-model",
    max_tokens: 1_000,
    stream: true,
    thinking: { type: "enabled", budget_tokens: 5_000 },
    messages: [{ role: "user", content: "hi" }],
  },
  textOf: (events) =>
    deltasOf(events, "content_block_delta")
      .map(({ text }) => text ?? "")
      .join(""),
  textOfReply: (reply) =>
    Reply.parse(reply)
      .content.map(({ text }) => text ?? "")
      .join(""),
  finishesOf: (events) => deltasOf(events, "message_delta").map(({ stop_reason }) => stop_reason),
  messageOf: (body) => ErrorBody.parse(body).error.message,
  statuses: { shutting_down: 529, overloaded: 529, upstream_overloaded: 529 },
});
