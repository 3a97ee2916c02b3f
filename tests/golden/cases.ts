import type { ScriptStep } from "../../testing/backends/scripted/index.js";
import type { Answer, Conversation, Picture, Tool } from "../../testing/golden/dialect.js";

export interface GoldenCase {
  name: string;
  conversation: Conversation;
  /** What a client reads in the reply, in any dialect. */
  answer: Omit<Answer, "calls"> & { calls: readonly [name: string, input: string][] };
  /** The results of the called tools; the conversation continues with them in the next case. */
  results?: readonly string[];
  /** Played by a scripted backend, because the simulated model cannot do this. */
  script?: readonly ScriptStep[];
}

const plain = { text: "", thinking: "", calls: [], ending: "stop" } as const;
const ask = (text: string, picture?: Picture): Conversation => ({
  lines: [{ role: "user", text: `[[usage 1200 34 1000 0 7]] ${text}`, ...(picture !== undefined && { picture }) }],
});

export const onePixel: Picture = {
  mimeType: "image/png",
  base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

export const weather: Tool = {
  name: "weather",
  description: "The weather of a city.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

const person = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false,
};

export const goldenCases: readonly GoldenCase[] = [
  {
    name: "text",
    conversation: ask("[[say Grüße an die 🦆, in ein paar Worten.]]"),
    answer: { ...plain, text: "Grüße an die 🦆, in ein paar Worten." },
  },
  {
    name: "thinking",
    conversation: { ...ask("[[think Let me see, step by step.]] [[say It is 42.]]"), thinks: true },
    answer: { ...plain, thinking: "Let me see, step by step.", text: "It is 42." },
  },
  {
    name: "one-tool",
    conversation: { ...ask('[[say Looking.]] [[partial]] [[call weather {"city":"Kiel"}]]'), tools: [weather] },
    answer: { ...plain, text: "Looking.", calls: [["weather", '{"city":"Kiel"}']], ending: "calls" },
  },
  {
    name: "parallel-tools",
    conversation: {
      ...ask('[[call weather {"city":"Kiel"}]] [[call weather {"city":"Bonn"}]] then [[say Kiel is the wetter one.]]'),
      tools: [weather],
    },
    answer: {
      ...plain,
      calls: [
        ["weather", '{"city":"Kiel"}'],
        ["weather", '{"city":"Bonn"}'],
      ],
      ending: "calls",
    },
    results: ["rain", "sun"],
  },
  {
    name: "image",
    conversation: ask("What is this? [[say One pixel.]]", onePixel),
    answer: { ...plain, text: "One pixel." },
  },
  // One delta with a pause after it: otherwise timing decides how much is read beyond the stop sequence.
  {
    name: "stop-sequence",
    conversation: { ...ask("[[say One-two-END-three.]] [[wait 60000]]"), stop: "END" },
    answer: { ...plain, text: "One-two-" },
  },
  {
    name: "length-limit",
    conversation: { ...ask("[[say One-two-three-four-five.]] [[wait 60000]]"), maxTokens: 4 },
    answer: { ...plain, text: "One-two-three-four-f", ending: "length" },
  },
  {
    name: "filtered",
    conversation: ask("Something else."),
    answer: { ...plain, text: "I had rather", ending: "filtered" },
    script: [
      [{ type: "text", delta: "I had rather" }],
      [
        {
          type: "usage",
          usage: {
            inputTokens: 30,
            outputTokens: 4,
            cacheReadTokens: 10,
            cacheWriteTokens: 5,
            reasoningTokens: 0,
            estimated: false,
          },
        },
        { type: "finish", reason: "filtered" },
      ],
    ],
  },
  {
    name: "error-before",
    conversation: ask("[[fail permission_denied]]"),
    answer: { ...plain, ending: "error" },
  },
  {
    name: "error-after",
    conversation: ask("[[say So far, so good.]] [[fail permission_denied]]"),
    answer: { ...plain, text: "So far, so good.", ending: "error" },
  },
  {
    name: "structured",
    conversation: { ...ask("Who is it?"), schema: person },
    answer: { ...plain, text: '{"name":"sample","age":1}' },
  },
  {
    name: "structured-missed",
    conversation: { ...ask("[[badjson 9]] Who is it?"), schema: person },
    answer: { ...plain, ending: "error" },
  },
];
