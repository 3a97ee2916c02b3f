import { create, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { McpToolDefinitionSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { planModelCall, type Situation } from "./plan.js";
import { collectTools, type Tool } from "./tools.js";
import type { AssistantPart, Entry } from "./transcript.js";

function tool(name: string, schema: JsonValue = { type: "object" }): Tool[] {
  const inputSchema = fromJson(ValueSchema, schema);
  return collectTools(
    [[create(McpToolDefinitionSchema, { toolName: name, providerIdentifier: "p", inputSchema })]],
    {},
  );
}

const tools = [
  ...tool("a"),
  ...tool("b"),
  ...tool("weather", { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } }),
];

function user(text: string): Entry {
  return { role: "user", text, images: [] };
}

function calls(...names: (string | [name: string, args: { [key: string]: JsonValue }])[]): Entry {
  const parts = names.map((call): AssistantPart => {
    const [toolName, args] = typeof call === "string" ? [call, {}] : call;
    return { type: "tool-call", toolCallId: `id-${toolName}-${JSON.stringify(args)}`, toolName, args };
  });
  return { role: "assistant", id: "1", parts };
}

function result(toolName: string, text = "fine", args: JsonValue = {}): Entry {
  return { role: "tool", results: [{ toolCallId: `id-${toolName}-${JSON.stringify(args)}`, toolName, result: text }] };
}

/** A plan in short: texts in quotes, then the questions, with their old ids if they were asked before. */
function plan(entries: Entry[], more: Partial<Situation> = {}): string[] {
  const { acts, asks } = planModelCall({ entries, tools, given: [], isFallback: false, ...more });
  return [
    ...acts.map((act) =>
      "text" in act ? `${act.type === "think" ? "think " : ""}${JSON.stringify(act.text)}` : act.type,
    ),
    ...asks.map(({ ask, id }) => `${ask.label}${JSON.stringify(ask.args)}${id === undefined ? "" : ` again ${id}`}`),
  ];
}

const script = '[[think t]] [[say s]] [[call a {}]] [[call b {"x":1}]] then [[call a {"n":2}]] and [[say done]]';
const first = calls("a", ["b", { x: 1 }]);
const firstResults = [result("a", "1"), result("b", "2", { x: 1 })];

const progress: [string, Entry[], string[]][] = [
  ["begins with the first group of calls", [user(script)], ['think "t"', '"s"', "a{}", 'b{"x":1}']],
  [
    "continues after the results of a group",
    [user(script), first, ...firstResults],
    ['"Result of a: 1\\nResult of b: 2\\n"', 'a{"n":2}'],
  ],
  [
    "speaks after the last results",
    [user(script), first, ...firstResults, calls(["a", { n: 2 }]), result("a", "3", { n: 2 })],
    ['"Result of a: 3\\n"', '"done"'],
  ],
  [
    "repeats calls without results under their ids",
    [user(script), first, result("b", "2", { x: 1 })],
    ["a{} again id-a-{}"],
  ],
  ["asks the calls of a group that a rebuilt transcript lacks", [user(script), calls("a"), result("a")], ['b{"x":1}']],
  [
    "recognises a call whose arguments were changed by its name",
    [user(script), calls("a", ["b", { x: "one" }]), result("a"), result("b", "2", { x: "one" })],
    ['"Result of a: fine\\nResult of b: 2\\n"', 'a{"n":2}'],
  ],
  [
    "recognises the names that histories use",
    [user("[[call a {}]] then [[say end]]"), calls("mcp_p_a"), result("mcp_p_a")],
    ['"Result of mcp_p_a: fine\\n"', '"end"'],
  ],
  ["obeys the newest message alone", [user(script), first, ...firstResults, user("[[say new]]")], ['"new"']],
  [
    "reports the results of built-in requests under their names",
    [user("[[native shell {}]]"), calls("native shell"), result("native shell", "rejected: no")],
    ['"native shell: rejected: no\\n"'],
  ],
  ["asks built-in tools one after the other", [user("[[native ls {}]] [[native ls {}]]")], ["native ls{}"]],
];

describe("the plan of a model call", () => {
  it.each(progress)("%s", (_name, entries, expected) => expect(plan(entries)).toEqual(expected));

  it("keeps calls after a gap in the group, and lets later calls stream their arguments", () => {
    const { asks } = planModelCall({
      entries: [user("[[gap 9]] [[call a {}]] [[gap 50]] [[partial]] [[call b {}]]")],
      tools,
      given: [],
      isFallback: false,
    });
    expect(asks.map(({ ask }) => ask)).toMatchObject([
      { label: "a", afterMs: 0, isPartial: false },
      { label: "b", afterMs: 50, isPartial: true },
    ]);
  });

  it("says that a tool was not offered and continues", () => {
    expect(plan([user("[[call nope {}]] [[call a {}]]")])).toEqual([
      expect.stringContaining("nope was not offered"),
      "a{}",
    ]);
    expect(plan([user("use the nope tool")])).toEqual([expect.stringContaining("nope was not offered")]);
  });

  it.each([
    ["[[native nothing {}]]", "no built-in tool nothing"],
    ["[[query nothing {}]]", "no query nothing"],
    ['[[native shell {"command":7}]]', "no arguments of shell"],
    ["[[exec 15]]", "Field 15 is not for requests"],
    ["[[wait long]]", "cannot read [[wait long]]"],
  ])("explains what is wrong with %s", (text, complaint) => {
    expect(plan([user(text)])).toEqual([expect.stringContaining(complaint)]);
  });

  it.each(["please use the Weather tool now", "Call the tool weather."])("takes plain words: %s", (text) => {
    expect(plan([user(text)])).toEqual(['weather{"city":"sample","days":1}']);
    const done = [user(text), calls(["weather", { city: "sample", days: 1 }])];
    const answered = [...done, result("weather", "sun", { city: "sample", days: 1 })];
    expect(plan(answered)).toEqual(['"Result of weather: sun\\n"']);
  });

  it.each([
    'Answer this message by calling the tool "weather" and no other, not in text alone.',
    'The tool "weather" was not called, but this call is required here. Call "weather" now.',
    "You must call `Weather`, whatever happens.",
    "Hi!\n\nYour reply must be made by calling “weather”\nand then stop.",
  ])("does what a sentence demands: %s", (text) => {
    expect(plan([user(`n is 3\n\n${text}`)])).toEqual(['weather{"city":"sample","days":1}']);
    expect(plan([user(text)], { isFallback: true })).toEqual([
      expect.stringMatching(/no Cursor credential was found.*curlew login/),
    ]);
  });

  it.each([
    "Answer this message by calling at least one of the offered tools, not in text alone.",
    "No tool was called, but a tool call is required here. Call one of the offered tools now.",
  ])("takes the first tool that it has not called when any will do: %s", (text) => {
    expect(plan([user(text)])).toEqual(["a{}"]);
    const once = [user(text), calls("a"), result("a"), user(text)];
    expect(plan(once)).toEqual(["b{}"]);
    const all = [user(text), calls("a", "b", "weather"), result("a"), result("b"), result("weather"), user(text)];
    expect(plan(all)).toEqual(['weather{"city":"sample","days":1}']);
  });

  it.each([
    "Answer this message in text alone, without calling any tool.",
    "Call one tool at a time and wait for its result before calling the next.",
    'You must not use "a", and need never call it.',
    'What would you answer to somebody who calls "nope" now?',
    'The function "a" is called twice here. Why?',
  ])("finds no demand in: %s", (text) =>
    expect(plan([user(text)])).toEqual([expect.stringContaining("I am Curlew's simulator")]),
  );

  it("ignores demands as often as a directive says, and follows other directives first", () => {
    const demand = 'Call "a" now.';
    const said: Entry = { role: "assistant", id: "1", parts: [{ type: "text", text: "x" }] };
    expect(plan([user(`[[say no]] ${demand}`)])).toEqual(['"no"']);
    const ignored = [user(`[[ignore 2]] [[say no]] ${demand}`), said, user(demand)];
    expect(plan(ignored)).toEqual([expect.stringContaining("simulated")]);
    expect(plan([...ignored, said, user(demand)])).toEqual(["a{}"]);
  });

  it("ends when it refuses", () => {
    expect(plan([user("[[say Hm.]] [[refuse I will not.]] [[call a {}]]")])).toEqual(['"Hm."', '"I will not."']);
    const json = 'Fit this JSON schema: {"type":"object"}';
    expect(plan([user(`[[refuse No.]] ${json}`)])).toEqual(['"No."']);
  });

  it("ignores plain requests as a fallback for a real model, but obeys directives", () => {
    const [answer, ...others] = plan([user("use the weather tool")], { isFallback: true });
    expect(answer).toMatch(/no Cursor credential was found.*curlew login/);
    expect(others).toEqual([]);
    expect(plan([user("[[call a {}]]")], { isFallback: true })).toEqual(["a{}"]);
  });

  it("answers plain words with what reached it", () => {
    const entries = [user("first words"), calls(), user("and  these\nwords")];
    const [answer] = plan(entries, { given: ["Speak like a pirate"] });
    for (const part of ["simulated", '"and these words"', '"first words"', "a, b, weather"]) {
      expect(JSON.parse(answer ?? "")).toContain(part);
    }
    expect(answer).not.toContain("pirate");
  });

  it("quotes its system prompt when it is asked who it is", () => {
    const [answer] = plan([user("Hello! Who are you?")], { given: ["Speak like a pirate"] });
    expect(JSON.parse(answer ?? "")).toContain('My system prompt: "Speak like a pirate"');
  });

  it("greets once, and says how to reach real models", () => {
    const greeting = "Hi! I am Curlew's simulator. Run `curlew login` for real models. You said: ";
    expect(plan([user("Hello")])).toEqual([expect.stringContaining(greeting)]);
    expect(plan([user("Hello"), calls(), user("And now?")])).toEqual([expect.not.stringContaining("Hi!")]);
  });

  it("mentions the images of the newest message", () => {
    const images = [{ mimeType: "image/png", hash: "00", bytes: 67 }];
    expect(plan([{ role: "user", text: "see", images }])).toEqual([expect.stringContaining("image/png of 67 bytes")]);
  });
});

describe("a request for JSON", () => {
  const schema = { type: "object", properties: { ok: { type: "boolean" }, n: { type: "integer" } }, required: ["ok"] };
  const asks = `Answer with JSON that fits this JSON schema:\n\`\`\`json\n${JSON.stringify(schema)}\n\`\`\``;

  it("gets a sample that fits, and nothing else", () => {
    expect(plan([user(asks)])).toEqual([JSON.stringify('{"ok":true}')]);
    expect(plan([user("hi")], { given: [asks] })).toEqual([JSON.stringify('{"ok":true}')]);
    expect(plan([user(`[[call a {}]] ${asks}`), calls("a"), result("a")])).toEqual([JSON.stringify('{"ok":true}')]);
  });

  it("without a schema gets an object, if it wants nothing else", () => {
    const any = "Answer with one JSON object and nothing else.";
    expect(plan([user(any)])).toEqual([JSON.stringify("{}")]);
    expect(plan([user(any)], { given: [asks] })).toEqual([JSON.stringify('{"ok":true}')]);
    expect(plan([user("hi")], { given: [any] })).not.toEqual([JSON.stringify("{}")]);
  });

  it("yields to a directive that says what to answer", () => {
    expect(plan([user(`[[say no]] ${asks}`)])).toEqual(['"no"']);
  });

  it("is answered badly as often as [[badjson]] in the conversation says", () => {
    const bad = user(`[[badjson 2]] ${asks}`);
    const answer: Entry = { role: "assistant", id: "1", parts: [{ type: "text", text: "x" }] };
    const [one] = plan([bad]);
    const [two] = plan([bad, answer, user(asks)]);
    const [three] = plan([bad, answer, user(asks), answer, user(asks)]);
    for (const unfit of [one, two]) expect(() => JSON.parse(JSON.parse(unfit ?? ""))).toThrow();
    expect(three).toBe(JSON.stringify('{"ok":true}'));
  });
});

it("breaks off after results before it describes them", () => {
  const entries = [user("[[call a {}]] then [[drop once]] [[say done]]"), calls("a"), result("a")];
  expect(plan(entries)).toEqual(["drop", '"Result of a: fine\\n"', '"done"']);
});

it("says what it knows of a tool whose description is withheld", () => {
  const bare = tools.map((each) => ({ ...each, description: "", schema: undefined }));
  const given = ["Be brief.\n- weather(city: string, days: integer, tags?: string[]): Tells the weather."];
  const question = [user("What is the description of the tool weather?")];
  expect(plan(question, { tools: bare })).toEqual(['"I have no description of weather."']);
  expect(plan(question, { tools: bare, given })[0]).toContain("Tells the weather.");
  expect(plan([user("use the weather tool")], { tools: bare, given })).toEqual(['weather{"city":"sample","days":1}']);
});
