import { describe, expect, it } from "vitest";
import { userTurn } from "../../../../testing/backends/scripted/index.js";
import { assistant, tool, user } from "../../../../testing/samples/sample-turns.js";
import type { AnswerFormat, Message, ToolDefinition, Turn } from "../../turn/turn.js";
import { formatTitle, wordsToName } from "./title-request.js";

const words = "My parser drops the last byte of a chunk, why?";
const question = user(words);
const turn = (system: string, messages: readonly Message[] = [question], tools: readonly ToolDefinition[] = []) =>
  userTurn("", { system, messages, tools });

const rules = `Rules:
- at most 50 characters, one line, in the language of the message
- keep file names, numbers and error codes as they are
- never answer the question, never say that you cannot name it
- a greeting gets a title too
`;
const plain = `You are a title generator. You output nothing but the title of a thread.\n\n${rules}`;

/** The beginning of OpenCode 1.18's prompt. Rules and examples follow it. */
const openCode = `You are a title generator. You output ONLY a thread title. Nothing else.

<task>
Generate a brief title that would help the user find this conversation later.
</task>

<rules>
- you MUST use the same language as the user message you are summarizing
- When a file is mentioned, focus on WHAT the user wants to do WITH the file
- NEVER respond to questions, just generate a title for the conversation
- Always output something meaningful, even if the input is minimal.
</rules>

<examples>
"how do I connect postgres to my API" → Postgres API connection
"look at @config.json" → Config review
</examples>
`;

const formatOf = (properties: object, name = "answer"): AnswerFormat => ({
  type: "json-schema",
  name,
  schema: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
  param: "text.format.schema",
});
const titleFormat = formatOf({ title: { type: "string", minLength: 1, maxLength: 36 } }, "codex_output_schema");

/** The beginnings and ends of what Codex 0.166, Continue 1.5 and Claude Code 2.1 send. */
const codex = `Generate a concise, single-line task title of at most 36 characters. No quotes.\n\nUser prompt:\n${words}`;
const codexTurn = (fields: Partial<Turn> = {}) =>
  userTurn("", {
    system: `You are a coding agent running in the Codex CLI. ${"Work with care. ".repeat(1_200)}`,
    messages: [user("<environment_context>\n  <timezone>Etc/UTC</timezone>\n</environment_context>"), user(codex)],
    format: titleFormat,
    ...fields,
  });
const continues = `Given the following... please reply with a title for the chat that is 3-4 words in length.\n\n${words}`;
const claude = userTurn("", {
  system: 'You are naming a coding session so the user can pick it out. Return JSON with a single "title" field.',
  messages: [user(`<session>\n${words}\n</session>\n\nWrite the title in the predominant language.`)],
  format: formatOf({ title: { type: "string" } }),
});

describe("a title request", () => {
  it.each<[string, Turn]>([
    ["Codex's message and format", codexTurn()],
    ["Codex's message beside its tool for patches", codexTurn({ tools: [tool("apply_patch")] })],
    ["Continue's message", userTurn(continues)],
    ["Claude Code's prompt and format", claude],
    ["a prompt, an introduction and the words", turn(plain, [user("Name this conversation:\n"), question])],
    ["a prompt and only the words", turn(plain)],
    ["long rules with examples", turn(plain + "- 'why is it slow' becomes 'Slow start'\n".repeat(60))],
    ["an example with the name of a file", turn(`${plain}"look at @config.json" becomes "Config review"\n`)],
    ["a list in lower case", turn(`\n\n  - you will write a short title from the first message of a chat\n${rules}`)],
    ["one sentence", turn("Create a concise title for this conversation. Return just the title in 5 words or less.")],
    ["an order to output", turn("Output only a brief title for the session that begins with this message.")],
    ["OpenCode's prompt", turn(openCode, [user("Generate a title for this conversation:\n"), question])],
    ["a role before the task", turn("You are a careful writer. Create a short title for this chat. No quotes.")],
    ["nothing else", turn("Return a concise title for the conversation and nothing else.")],
  ])("is recognised by %s, and only the user's words are named", (_, request) =>
    expect(wordsToName(request)).toBe(words),
  );

  it("may have nothing to name yet", () => expect(wordsToName(turn(plain, []))).toBe(""));

  it("keeps all messages that are the user's, without the client's reminders", () => {
    const reminded = user(`<system-reminder>Be brief.</system-reminder>\n${words}`);
    expect(wordsToName(turn(plain, [user("Look at this:"), reminded]))).toBe(`Look at this:\n\n${words}`);
  });

  const chatty = "You are a helpful assistant in a chat. Answer in short sentences.";
  it.each<[string, Turn]>([
    ["no system prompt", turn("", [user("Generate a short title for this conversation.")])],
    ["a plain chat", turn(chatty)],
    ["a chat whose user asks for a title", turn(chatty, [user("Write a short title for this conversation")])],
    ["tools", turn(plain, [question], [tool("bash")])],
    [
      "a coding agent that keeps titles",
      turn(`You are a coding agent. ${"Work with care. ".repeat(50)} Generate a short title for the session.`),
    ],
    ["a prompt as long as an agent's", turn(plain + "x".repeat(6_000))],
    ["a title among other things", turn("Answer the user. Also write a short title for the conversation.")],
    ["a title when asked", turn("When asked, generate a short title for the conversation. Be brief.")],
    ["a title for each answer", turn("You are a chat assistant. Give every answer a short title.")],
    ["a title for a product", turn("Generate a short title for the product that the user describes.")],
    ["a title for a pull request", turn("Write a concise title for the pull request, in 10 words at most.")],
    ["an article with a title", turn("Write articles in a chat with the author. Each begins with a short title.")],
    ["a reply and a title", turn("You handle mail. Write a reply and a short title for this thread.")],
    ["a title and a summary", turn("Generate a short title and a summary for this conversation.")],
    ["a title, a summary and tags", turn("Generate a short title, a summary and tags for the chat.")],
    ["a title after an answer", turn("You chat with people. Output a short title for the conversation. Answer them.")],
    ["a title after the work", turn("Summarise this thread. Give it a short title.")],
    ["work after a title", turn("Write a short title for this thread. Translate it into French.")],
    ["a title as a later step", turn("You are in a chat. Then output a brief title for the session.")],
    ["a product in a chat", turn("You are in a chat. Write a short title for the product that the user describes.")],
    ["a conference session", turn("Write a short, catchy title for the conference session that is described.")],
    ["help in a chat", turn("You are a support agent. Create a brief title for the chat. Help with billing.")],
    ["JSON", turn("Generate a short title for this conversation. Return JSON with one field.")],
    ["a quoted field", turn('Write a concise title for this chat session and put it into "title".')],
    ["a summary", turn("Summarise this conversation in a short paragraph.")],
    ["an essay on titles", turn("Create a title page and three chapters about the thread of life.")],
    ["an ongoing conversation", turn(plain, [question, assistant("Because."), user("And now?")])],
    ["an answer to be continued", turn(plain, [question, assistant("Parser")])],
    ["a row of messages", turn(plain, [question, question, question])],
    [
      "an image",
      turn(plain, [{ role: "user", content: [{ type: "image", mimeType: "image/png", data: new Uint8Array(1) }] }]),
    ],
    ["a tool result", turn(plain, [question, { role: "tool", results: [] }])],
  ])("is not seen in %s", (_, request) => expect(wordsToName(request)).toBeUndefined());

  const article = "Write a catchy title for this article: ...";
  it.each<[string, Turn]>([
    ["a program's own format with a title", userTurn(article, { format: titleFormat })],
    ["Codex's message without its format", userTurn(codex)],
    ["Codex's message with another format", codexTurn({ format: formatOf({ title: { type: "string" }, tag: {} }) })],
    ["Codex's message with a list of titles", codexTurn({ format: formatOf({ title: { type: "array" } }) })],
    ["Codex's message with any JSON", codexTurn({ format: { type: "json" } })],
    ["a prompt with a format", userTurn("", { system: plain, messages: [question], format: titleFormat })],
    ["words of a user like Continue's", userTurn(`Please do this. ${continues}`)],
  ])("is not seen in %s", (_, request) => expect(wordsToName(request)).toBeUndefined());
});

describe("a title", () => {
  it.each<[string, AnswerFormat | undefined, string]>([
    ["plain text without a format", undefined, "Repair the chunked parser of dates and times"],
    ["JSON, cut between words, for a schema", titleFormat, '{"title":"Repair the chunked parser of dates"}'],
    [
      "whole if its schema allows it",
      formatOf({ title: { type: "string" } }),
      '{"title":"Repair the chunked parser of dates and times"}',
    ],
  ])("is %s", (_, format, text) => {
    const request = userTurn("", format && { format });
    expect(formatTitle("Repair the chunked parser of dates and times", request)).toBe(text);
  });
});
