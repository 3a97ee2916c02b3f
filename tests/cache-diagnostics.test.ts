import Anthropic from "@anthropic-ai/sdk";
import { expect, it } from "vitest";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedOnce } from "../testing/started.js";

const system = startedOnce(() => startWholeSystem());
const client = startedOnce(() => new Anthropic({ baseURL: system.url, apiKey: "unused", maxRetries: 0 }));

type Params = Anthropic.MessageCreateParamsNonStreaming;
const user = (content: string) => ({ role: "user" as const, content });

/** Plays the first turn of a conversation. Returns its message and the parameters of the second. */
async function firstTurn(words: string) {
  const first: Params = {
    model: "auto",
    max_tokens: 100,
    system: "Be brief.",
    messages: [user(`${words} ${"word ".repeat(100)}[[say one]]`)],
    diagnostics: { previous_message_id: null },
  };
  const message = await client.messages.create(first);
  const next: Params = {
    ...first,
    messages: [...first.messages, { role: "assistant", content: message.content }, user("[[say two]]")],
    diagnostics: { previous_message_id: message.id },
  };
  return { message, next };
}

const tokens = expect.any(Number);

it.each<[string, (next: Params) => Params, Anthropic.CacheMissReason]>([
  [
    "another system prompt",
    (next) => ({ ...next, system: "Be long." }),
    { type: "system_changed", cache_missed_input_tokens: tokens },
  ],
  [
    "an unknown conversation",
    (next) => ({ ...next, messages: [user("x"), { role: "assistant", content: "y" }, user("[[say z]]")] }),
    { type: "previous_message_not_found" },
  ],
])("names %s, whole and streamed", async (name, change, reason) => {
  for (const how of ["whole", "streamed"]) {
    const changed = change((await firstTurn(`${name}, ${how}`)).next);
    const message =
      how === "whole" ? await client.messages.create(changed) : await client.messages.stream(changed).finalMessage();
    expect(message.diagnostics).toEqual({ cache_miss_reason: reason });
  }
});

it("names an edited history, with the tokens sent again", async () => {
  const { next } = await firstTurn("edited");
  await client.messages.create(next);
  const message = await client.messages.create({
    ...next,
    messages: [...next.messages, { role: "assistant", content: "never said" }, user("[[say three]]")],
  });
  const characters = "[[say two]]".length + "never said".length;
  expect(message.diagnostics).toEqual({
    cache_miss_reason: { type: "messages_changed", cache_missed_input_tokens: Math.ceil(characters / 4) },
  });
});

it("is null unless requested", async () => {
  const { next } = await firstTurn("silent");
  const { diagnostics: _, ...silent } = next;
  expect((await client.messages.create({ ...silent, system: "Be long." })).diagnostics).toBeNull();
});
