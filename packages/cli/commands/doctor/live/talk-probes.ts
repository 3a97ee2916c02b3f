import { asExpected, byWord, harmless, has, notShown, otherwise, type Probe, probe, said, user } from "./lab.js";
import { expected, prompts, systemPrompts, tools, wordOf } from "./probe-texts.js";

const RED_PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsItw/VMZyQi+hcEKLNO+FgEBAQEBAQEBAQEBAQEBAQEBAQ" +
    "EBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGBywJmTwDiulNVfwAAAABJRU5ErkJggg==",
  "base64",
);

export const conversation: Probe = {
  claims: [
    { name: "text", claim: "A turn is answered with text" },
    { name: "usage", claim: "Cursor reports the usage of a turn" },
    { name: "continuation", claim: "A checkpoint continues a conversation, and its beginning is read from the cache" },
    { name: "new tool", claim: "A conversation that continues offers the model a tool more" },
  ],
  turns: 3,
  async *run({ lab }) {
    const question = user(prompts.word);
    const first = await lab.ask({ messages: [question] });
    const missing = "The answer does not contain the word that was asked for.";
    yield byWord(first.text, expected.word, `The word came after ${first.ms} ms.`, missing);

    const { usage } = first;
    if (usage === undefined || usage.estimated) yield otherwise("Cursor sent no usage at the end of the turn.");
    else if (usage.inputTokens === 0 || usage.outputTokens === 0) yield otherwise("Cursor's figures are zero.");
    else yield asExpected(`${usage.inputTokens} tokens in, ${usage.outputTokens} out.`);

    const second = await lab.ask({ messages: [question, said(first), user(prompts.again)] });
    const cached = second.usage?.cacheReadTokens ?? 0;
    if (second.continuity !== "warm")
      yield otherwise(`The history was sent again (${second.continuity}).`, second.text);
    else if (!has(second.text, expected.word))
      yield otherwise("The model does not remember the first turn.", second.text);
    else if (cached === 0)
      yield harmless("It continued from the checkpoint, but nothing was read from the cache.", second.text);
    else yield asExpected(`${cached} of ${second.usage?.inputTokens} tokens came from the cache.`, second.text);

    const messages = [question, said(first), user(prompts.again), said(second), user(prompts.onlyTool)];
    const { text } = await lab.askThrough({ messages, tools: [tools.archive] });
    yield byWord(text, wordOf(tools.archive), "It was called.", "It was not called.");
  },
};

export const history = probe("history", "The model reads a history that it did not see before", 1, async ({ lab }) => {
  const earlier = [user(prompts.shore), said({ text: expected.history, calls: [] })];
  const { text } = await lab.ask({ messages: [...earlier, user(prompts.lastReply)] });
  return byWord(text, expected.history, "It knows its last reply.", "It does not know its last reply.");
});

export const thinking = probe("thinking", "Thinking is separate from the answer", 1, async ({ lab }) => {
  const heard = await lab.ask({ messages: [user(prompts.thinking)] });
  if (!has(heard.text, expected.sum)) return otherwise("The answer is wrong or missing.", heard.text);
  if (heard.thinking === "") return notShown("The model showed no thinking; it may have none.", heard.text);
  return asExpected(`${heard.thinking.length} characters of it.`, heard.text);
});

export const picture = probe("image", "Images reach the model", 1, async ({ lab }) => {
  const text = { type: "text" as const, text: prompts.colour };
  const image = { type: "image" as const, mimeType: "image/png", data: new Uint8Array(RED_PNG) };
  const { text: answer } = await lab.ask({ messages: [{ role: "user", content: [text, image] }] });
  return byWord(answer, expected.colour, "It was seen.", "It was not seen.");
});

export const systemPrompt: Probe = {
  claims: [
    { name: "system prompt", claim: "The system prompt reaches the model" },
    { name: "changed prompt", claim: "A changed system prompt applies from the next turn on" },
  ],
  turns: 2,
  async *run({ lab }) {
    const question = user(prompts.name);
    const first = await lab.ask({ system: systemPrompts.before, messages: [question] });
    yield byWord(first.text, expected.before, "It is obeyed.", "It is not obeyed.");
    const messages = [question, said(first), user(prompts.name)];
    const second = await lab.ask({ system: systemPrompts.after, messages });
    if (has(second.text, expected.after)) yield asExpected(`It is obeyed (${second.continuity}).`, second.text);
    else if (has(second.text, expected.before))
      yield otherwise(`The model keeps to the first one (${second.continuity}).`, second.text);
    else yield otherwise("Neither of the two is obeyed.", second.text);
  },
};
