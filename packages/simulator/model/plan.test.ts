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

  const named = [...tool("get_weather"), ...tool("searchFlights"), ...tool("read_file")];
  it.each([
    ["What's the weather like in San Francisco?", "get_weather{}"],
    ["Which flights leave today?", "searchFlights{}"],
    ["Quel temps fait-il à Kiel, en weather ?\n", "get_weather{}"],
  ])("calls the one tool that a short question is about: %s", (text, call) => {
    expect(plan([user(text)], { tools: named })).toEqual([call]);
    const name = call.slice(0, -2);
    expect(plan([user(text), calls(name), result(name, "sun")], { tools: named })).toEqual([
      `"Result of ${name}: sun\\n"`,
    ]);
    expect(plan([user("hello"), calls(name), result(name), user(text)], { tools: named })).toEqual([call]);
  });

  it.each([
    "Tell me the weather.",
    "I am in Kiel. What is the weather?",
    "You answer questions.\nWhat is the weather?",
    `What is the weather in ${"a".repeat(80)}?`,
    "Do flights leave in this weather?",
    "Can you read it and get on with the file?",
    "Whether he weathers it?",
  ])("sees no tool that fits: %s", (text) =>
    expect(plan([user(text)], { tools: named })).toEqual([expect.stringContaining("I am Curlew's simulator")]),
  );

  const byName = [...tool("get_weather"), ...tool("get_time"), ...tool("AdderTool")];
  it.each([
    ["Use the 'get_weather' tool to find it.", ["get_weather{}"]],
    ["Call the AdderTool function, please.", ["AdderTool{}"]],
    [
      "How is it there?\nAlways call the 'get_weather' tool for rain and 'get_time' tool for the hour.",
      ["get_weather{}", "get_time{}"],
    ],
    ["Use the get_time tool. Use the get_time tool again.", ["get_time{}"]],
  ])("calls the tools that a plain message names, all at once: %s", (text, expected) => {
    expect(plan([user(text)], { tools: byName })).toEqual(expected);
    const names = expected.map((call) => call.slice(0, -2));
    const done = [user(text), calls(...names), ...names.map((name) => result(name))];
    expect(plan(done, { tools: byName })).toEqual([
      JSON.stringify(names.map((n) => `Result of ${n}: fine\n`).join("")),
    ]);
  });

  it.each([
    "Do not call the 'get_weather' tool.",
    "I like the 'get_weather' tool and the 'get_time' tool.",
    `Call the 'get_weather' tool. ${"These are rules. ".repeat(20)}`,
  ])("calls no tool for: %s", (text) =>
    expect(plan([user(text)], { tools: byName })).toEqual([expect.stringContaining("I am Curlew's simulator")]),
  );

  it("calls the tool that a plain system prompt wants for every question", () => {
    const ask = (given: string, offered = byName, question = "What is 2 plus 3?") =>
      plan([user(question)], { tools: offered, given: ["You are brief.", given] });
    expect(ask("You cannot add. You must ALWAYS call the AdderTool function.")).toEqual(["AdderTool{}"]);
    expect(ask("Always use the plus tool.", tool("AdderTool"))).toEqual(["AdderTool{}"]);
    const answered = [expect.stringContaining("I am Curlew's simulator")];
    expect(ask("Always use the plus tool.")).toEqual(answered);
    expect(ask("You may call the AdderTool function.")).toEqual(answered);
    expect(ask("Never use the AdderTool tool, always add.")).toEqual(answered);
    expect(ask(`Always use the AdderTool tool. ${"These are rules. ".repeat(20)}`)).toEqual(answered);
    expect(ask("Always use the AdderTool tool.", byName, "Hello")).toEqual(answered);
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

  it("ignores plain requests as a fallback for a real model, but obeys directives", () => {
    for (const text of ["use the weather tool", "What is the weather?"]) {
      const [answer, ...others] = plan([user(text)], { isFallback: true });
      expect(answer).toMatch(/no Cursor credential was found.*curlew login/);
      expect(others).toEqual([]);
    }
    expect(plan([user("[[call a {}]]")], { isFallback: true })).toEqual(["a{}"]);
  });
});

describe("words during a tool round", () => {
  const steered = (name: string, words: string) =>
    result(name, `fine<message_from_user>\n${words}\n</message_from_user>`);
  const task = [user("[[call a {}]] then [[call b {}]] then [[say done]]"), calls("a")];

  it("replace the task", () => {
    expect(plan([...task, steered("a", "Stop. [[say As you wish.]]")])).toEqual(['"As you wish."']);
  });

  it.each(['Go on, and also: [[call b {"n":2}]]', 'Call the tool b with {"n":2} as well.'])(
    "add to the task, if they say so: %s",
    (words) => {
      const second = [...task, steered("a", words)];
      expect(plan(second)).toEqual(['"Result of a: fine\\n"', "b{}"]);
      const third = [...second, calls("b"), result("b")];
      expect(plan(third)).toEqual(['"Result of b: fine\\n"', '"done"', 'b{"n":2}']);
      expect(plan([...third, calls(["b", { n: 2 }]), result("b", "last", { n: 2 })])).toEqual([
        '"Result of b: last\\n"',
      ]);
    },
  );

  it("are answered at the end of the task that they add to, also those of several rounds", () => {
    const both = [...task, steered("a", "Carry on, it rains."), calls("b"), steered("b", "Also, [[say thanks]]")];
    const [said, done, answer, ...rest] = plan(both);
    expect([said, done, ...rest]).toEqual(['"Result of b: fine\\n"', '"done"', '"thanks"']);
    expect(answer).toContain("Carry on, it rains.");
  });

  it("add nothing to a task that has ended", () => {
    const ended: Entry = { role: "assistant", id: "2", parts: [{ type: "text", text: "done" }] };
    expect(plan([...task, result("a"), ended, user("Also [[say more]]")])).toEqual(['"more"']);
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

  it("gets a verdict that lets the work go on", () => {
    const properties = {
      shouldBlock: { type: "boolean" },
      isSafe: { type: "boolean" },
      decision: { enum: ["deny", "ask", "allow"] },
      action: { enum: ["view", "continue"] },
    };
    const verdict = JSON.stringify({ type: "object", properties });
    expect(plan([user(`Answer with JSON that fits this JSON schema: ${verdict}`)])).toEqual([
      JSON.stringify('{"shouldBlock":false,"isSafe":true,"decision":"allow","action":"view"}'),
    ]);
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
