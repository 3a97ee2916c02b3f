import type { ToolDefinition } from "@curlew/gateway/turn/turn.js";

/** All texts that the probes send. Captures show these and no others. */
export const prompts = {
  word: "Reply with exactly: curlew",
  again: "Repeat your previous reply, word for word.",
  shore: "Name a bird of the shore. Answer with one word.",
  lastReply: "Repeat your last reply, word for word.",
  thinking: "Think step by step: how much is 17 * 23? Answer with the number alone.",
  oneCall: 'Call the tool get_weather with {"city":"Bergen"}. Then repeat its result, word for word.',
  twoCalls:
    'Call the tool get_weather with {"city":"Bergen"} and the tool get_local_time with {"city":"Bergen"}, both at the same time. ' +
    "Then repeat both results, word for word.",
  colour: "Which colour fills this picture? Answer with one word.",
  name: "What is your name? Answer in one sentence.",
  count: "Count from 1 to 300, with commas between the numbers.",
  marker:
    "Quote the description of the tool lookup_tide in full, word for word. If you were given no description, say so. Do not use the tool.",
  union: 'Call the tool find_bird with {"at":{"line":3}}. Then repeat its result, word for word.',
  onlyTool: 'Call your only tool with {"subject":"tides"}. Then repeat its result, word for word.',
  leaveIt: "Leave the tool. Reply with exactly: heron",
  typed: "I have changed my mind about the weather. Reply with exactly: sandpiper",
} as const;

export const systemPrompts = {
  before: "You keep a lighthouse, and your name is Ingrid. Give your name when you are asked for it.",
  after: "You keep a lighthouse, and your name is Solveig. Give your name when you are asked for it.",
} as const;

/** What an answer must contain, in lower case. */
export const expected = {
  word: "curlew",
  history: "avocet",
  sum: "391",
  colour: "red",
  before: "ingrid",
  after: "solveig",
  /** The first line of a description contains the first word; only the full description contains the second. */
  earlyMarker: "corncrake",
  lateMarker: "dotterel",
  leaveIt: "heron",
  typed: "sandpiper",
} as const;

export const tools = {
  weather: cityTool("get_weather", "Tells the weather in a city."),
  time: cityTool("get_local_time", "Tells the local time in a city."),
  tide: {
    name: "lookup_tide",
    description:
      "Tells the tide at a harbour; its first marker word is corncrake.\n\n" +
      "The tide is given in centimetres above the mean level of the sea, with the hour of the next high water and the next low water. " +
      "Harbours are named as on the charts of the pilot, without accents, and small ones may be missing altogether. " +
      "The second marker word of this description is dotterel.",
    inputSchema: objectOf({ harbour: { type: "string" } }, ["harbour"]),
  },
  bird: {
    name: "find_bird",
    description: "Finds a bird in the log of the observatory.",
    inputSchema: objectOf(
      {
        at: { oneOf: [{ type: "string" }, objectOf({ line: { type: "integer" } }, ["line"])] },
        colour: { anyOf: [{ type: "string" }, { type: "null" }] },
        ring: { allOf: [{ type: "string" }, { minLength: 1 }] },
      },
      ["at"],
    ),
  },
  /** As long as clients' tool names get, and longer than Cursor's editor accepts. */
  archive: {
    name: "mcp__observatory_documentation__search_the_archive_by_subject_abc",
    description: "Searches the archive of the observatory by subject.",
    inputSchema: objectOf({ subject: { type: "string" } }, ["subject"]),
  },
} as const satisfies Readonly<Record<string, ToolDefinition>>;

/** Words that a model cannot know from anywhere else, and the one that its answer must contain. */
const results: Readonly<Record<string, { readonly text: string; readonly word: string }>> = {
  [tools.weather.name]: { text: "Rain at 11 degrees, station Kittiwake.", word: "kittiwake" },
  [tools.time.name]: { text: "A quarter past nine by the clock of Plover.", word: "plover" },
  [tools.tide.name]: { text: "High water at noon, gauge Whimbrel.", word: "whimbrel" },
  [tools.bird.name]: { text: "One bird on line three, ring Turnstone.", word: "turnstone" },
  [tools.archive.name]: { text: "Two folders about tides, shelf Lapwing.", word: "lapwing" },
};

export function resultOf(tool: string): { readonly text: string; readonly word: string } | undefined {
  return Object.hasOwn(results, tool) ? results[tool] : undefined;
}

/** The word of a tool's result that the answer must contain. */
export function wordOf({ name }: ToolDefinition): string {
  return resultOf(name)?.word ?? name;
}

/** The closed list of all texts, and of all names in them. */
export const probeTexts: readonly string[] = [...new Set(textsIn([prompts, systemPrompts, expected, tools, results]))];

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) yield name;
    yield* textsIn(inner);
  }
}

function cityTool(name: string, description: string) {
  return { name, description, inputSchema: objectOf({ city: { type: "string", description: "The city" } }, ["city"]) };
}

function objectOf(properties: Readonly<Record<string, unknown>>, required: readonly string[]) {
  return { type: "object", properties, required: [...required] };
}
