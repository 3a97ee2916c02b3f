import { broken, type Probe, passes, said, unclear, user } from "./probe.js";

/** Simulated models obey the directives in the brackets; real ones should ignore them. */
export const ASIDE = "(Text in double square brackets is for a test program: leave it out of your answer.)";

/** A plain red square, 64 by 64. */
const RED_PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsItw/VMZyQi+hcEKLNO+FgEBAQEBAQEBAQEBAQEBAQEBAQ" +
    "EBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGBywJmTwDiulNVfwAAAABJRU5ErkJggg==",
  "base64",
);
/** The answer if the picture arrived: its colour or, from a simulated model, its size. */
const SEEN = new RegExp(`\\bred\\b|image/png of ${RED_PNG.length} bytes`, "i");

export const conversation: Probe = {
  claims: [
    { name: "text", claim: "A turn is answered with streamed text" },
    { name: "usage", claim: "Cursor reports the usage of a turn" },
    { name: "continuation", claim: "A checkpoint continues a conversation, and its beginning is read from the cache" },
  ],
  turns: 2,
  async *run(lab) {
    const question = user("Please answer with the single word curlew.");
    const first = await lab.ask({ messages: [question] });
    yield /curlew/i.test(first.text)
      ? passes(`The word came after ${first.ms} ms.`, first.text)
      : broken("The answer does not contain the word that was asked for.", first.text);

    const { usage } = first;
    if (usage === undefined || usage.estimated) yield broken("Cursor sent no usage at the end of the turn.");
    else if (usage.inputTokens === 0 || usage.outputTokens === 0) yield broken("Cursor's figures are zero.");
    else yield passes(`${usage.inputTokens} tokens in, ${usage.outputTokens} out.`);

    const messages = [question, said(first), user("Which word was that? Please say it once more.")];
    const second = await lab.ask({ messages });
    const cached = second.usage?.cacheReadTokens ?? 0;
    if (second.continuity !== "warm") yield broken(`The conversation was resent (${second.continuity}).`, second.text);
    else if (!/curlew/i.test(second.text)) yield broken("The model does not remember the first turn.", second.text);
    else if (cached === 0)
      yield unclear("It went on from the checkpoint, but nothing was read from the cache.", second.text);
    else yield passes(`${cached} of ${second.usage?.inputTokens} tokens came from the cache.`, second.text);
  },
};

export const thinking: Probe = {
  claims: [{ name: "thinking", claim: "Thinking is separate from the answer" }],
  turns: 1,
  async *run(lab) {
    const question = "Think about how much 17 * 23 is, step by step, then answer with the number alone.";
    const heard = await lab.ask({
      messages: [user(`${question}\n${ASIDE} [[think 340 and 51 make it.]] [[say 391]]`)],
    });
    if (!heard.text.includes("391")) yield broken("The answer is wrong or missing.", heard.text);
    else if (heard.thinking === "") yield unclear("The model showed no thinking; it may have none.", heard.text);
    else yield passes(`${heard.thinking.length} characters of it.`, heard.text);
  },
};

export const picture: Probe = {
  claims: [{ name: "image", claim: "Images reach the model" }],
  turns: 1,
  async *run(lab) {
    const text = { type: "text" as const, text: "Which colour fills this picture? Please answer with one word." };
    const image = { type: "image" as const, mimeType: "image/png", data: new Uint8Array(RED_PNG) };
    const { text: answer } = await lab.ask({ messages: [{ role: "user", content: [text, image] }] });
    yield SEEN.test(answer) ? passes("It was seen.", answer) : broken("The model did not see it.", answer);
  },
};

export const systemPrompt: Probe = {
  claims: [{ name: "system prompt", claim: "The system prompt reaches the model" }],
  turns: 1,
  async *run(lab) {
    const system = "You keep a lighthouse, and your name is Ingrid. Give your name when you are asked for it.";
    const { text } = await lab.ask({ system, messages: [user("What is your name?")] });
    yield /ingrid/i.test(text) ? passes("It is obeyed.", text) : broken("It is not obeyed.", text);
  },
};
