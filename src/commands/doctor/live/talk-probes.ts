import { asExpected, harmless, notShown, otherwise, type Probe, said, user } from "./lab.js";
import { expected, prompts, systemPrompts } from "./probe-texts.js";

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
  ],
  turns: 2,
  async *run({ lab }) {
    const question = user(prompts.word);
    const first = await lab.ask({ messages: [question] });
    yield has(first.text, expected.word)
      ? asExpected(`The word came after ${first.ms} ms.`, first.text)
      : otherwise("The answer does not contain the word that was asked for.", first.text);

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
      yield harmless("It went on from the checkpoint, but nothing was read from the cache.", second.text);
    else yield asExpected(`${cached} of ${second.usage?.inputTokens} tokens came from the cache.`, second.text);
  },
};

export const thinking: Probe = {
  claims: [{ name: "thinking", claim: "Thinking is separate from the answer" }],
  turns: 1,
  async *run({ lab }) {
    const heard = await lab.ask({ messages: [user(prompts.thinking)] });
    if (!has(heard.text, expected.sum)) yield otherwise("The answer is wrong or missing.", heard.text);
    else if (heard.thinking === "") yield notShown("The model showed no thinking; it may have none.", heard.text);
    else yield asExpected(`${heard.thinking.length} characters of it.`, heard.text);
  },
};

export const picture: Probe = {
  claims: [{ name: "image", claim: "Images reach the model" }],
  turns: 1,
  async *run({ lab }) {
    const text = { type: "text" as const, text: prompts.colour };
    const image = { type: "image" as const, mimeType: "image/png", data: new Uint8Array(RED_PNG) };
    const { text: answer } = await lab.ask({ messages: [{ role: "user", content: [text, image] }] });
    yield has(answer, expected.colour) ? asExpected("It was seen.", answer) : otherwise("It was not seen.", answer);
  },
};

export const systemPrompt: Probe = {
  claims: [
    { name: "system prompt", claim: "The system prompt reaches the model" },
    { name: "changed prompt", claim: "Another system prompt holds from the next turn on" },
  ],
  turns: 2,
  async *run({ lab }) {
    const question = user(prompts.name);
    const first = await lab.ask({ system: systemPrompts.before, messages: [question] });
    yield has(first.text, expected.before)
      ? asExpected("It is obeyed.", first.text)
      : otherwise("It is not obeyed.", first.text);
    const messages = [question, said(first), user(prompts.name)];
    const second = await lab.ask({ system: systemPrompts.after, messages });
    if (has(second.text, expected.after)) yield asExpected(`It is obeyed (${second.continuity}).`, second.text);
    else if (has(second.text, expected.before))
      yield otherwise(`The model keeps to the first one (${second.continuity}).`, second.text);
    else yield otherwise("Neither of the two is obeyed.", second.text);
  },
};

/** Whether an answer contains a word: "shared" has no "red". */
export function has(text: string, word: string): boolean {
  return spaced(text).includes(spaced(word));
}

/** Only the letters and digits, with spaces around each word. */
function spaced(text: string): string {
  return ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ")} `;
}
