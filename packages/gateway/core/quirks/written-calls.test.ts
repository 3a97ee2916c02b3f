import { describe, expect, it } from "vitest";
import {
  called,
  callOf,
  settled as checkpoint,
  stopped as finish,
  text,
  thinking,
  tool,
} from "../../../../testing/samples/sample-turns.js";
import type { Batch, TurnEvent } from "../../turn/event.js";
import type { ToolDefinition } from "../../turn/turn.js";
import { digest, feed, seededRandom, slicings } from "./slicings.cases.js";
import { WrittenCalls } from "./written-calls.js";

const tools: readonly ToolDefinition[] = [
  tool("bash"),
  tool("bash_output"),
  {
    name: "read",
    description: "",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string" },
        lines: { type: "integer" },
        tags: { type: ["array", "null"] },
        note: { type: ["string", "null"] },
        any: {},
      },
    },
  },
];

function step(offered = tools): WrittenCalls {
  let count = 0;
  return new WrittenCalls(offered, () => `call_${++count}`);
}

const ls = { name: "bash", input: '{"command":"ls"}' };
const tag = '<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>';
const fence = '```json\n{"name":"bash","arguments":{"command":"ls"}}\n```';
const mention = '[Called tool: bash({"command":"ls"})]';
const invocation =
  '<function_calls>\n<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>\n</function_calls>';

function invoke(name: string, parameters: string): string {
  return `<function_calls><invoke name="${name}">${parameters}</invoke></function_calls>`;
}

describe("a call that the model wrote", () => {
  it.each<[string, { name: string; input: string }[], string?]>([
    [tag, [ls]],
    [fence, [ls]],
    [mention, [ls]],
    [invocation, [ls]],
    [`Let me look.\n\n${tag}\n\n`, [ls], "Let me look.\n\n"],
    [`Let me look. ${mention}`, [ls], "Let me look. "],
    [`Let me look.\n${fence} \r\n\t`, [ls], "Let me look.\n"],
    [
      '<tool_call>\n{ "arguments" : { "command" : "ls" } , "name" : "bash" }\n</tool_call>',
      [{ name: "bash", input: '{ "command" : "ls" }' }],
    ],
    ['```tool_call\r\n{"tool":"bash_output","input":{}}\r\n```', [{ name: "bash_output", input: "{}" }]],
    [
      '```json\n{"name":"bash","parameters":{"n":12345678901234567890}}```',
      [{ name: "bash", input: '{"n":12345678901234567890}' }],
    ],
    ['[Called tool: bash( {"s":"a)] \\"}{ \\\\"} )]', [{ name: "bash", input: '{"s":"a)] \\"}{ \\\\"}' }]],
    [
      '[Called tool: read({"a":[{"b":[]}],"c":"</tool_call>```"})]',
      [{ name: "read", input: '{"a":[{"b":[]}],"c":"</tool_call>```"}' }],
    ],
    [invoke("bash", ""), [{ name: "bash", input: "{}" }]],
    [`${tag}\n${tag}`, [ls, ls]],
    [`${tag}${mention}\n${fence}\n${invocation}`, [ls, ls, ls, ls]],
    [
      `<function_calls>${'<invoke name="bash"><parameter name="command">ls</parameter></invoke>'.repeat(2)}</function_calls>`,
      [ls, ls],
    ],
    [`<function_calls> </function_calls>${tag}`, [ls], "<function_calls> </function_calls>"],
    [`<<${tag}`, [ls], "<<"],
    [`[${mention}`, [ls], "["],
    [`<tool_call>${tag}`, [ls], "<tool_call>"],
    [`<tool_call>{"name":"bash","arguments":{}}\n${tag}`, [ls], '<tool_call>{"name":"bash","arguments":{}}\n'],
    [
      `<tool_call>{"name":"rm","arguments":{}}</tool_call>\n${tag}`,
      [ls],
      '<tool_call>{"name":"rm","arguments":{}}</tool_call>\n',
    ],
    [`${tag} was quoted.\n${tag}`, [ls], `${tag} was quoted.\n`],
    [`\`\`\`\n${fence}`, [ls], "```\n"],
    [`Use \`[\` or \`<\`, as in 🦆 a[0] < b.\n${tag}`, [ls], "Use `[` or `<`, as in 🦆 a[0] < b.\n"],
  ])("becomes a call: %j", (whole, calls, said = "") => {
    for (const slices of slicings(whole)) {
      expect(digest(feed(step(), slices))).toMatchObject({
        text: said,
        calls: calls.map((call, index) => ({ id: `call_${index + 1}`, ...call })),
        finish: "tool-calls",
      });
    }
  });

  it.each([
    ["only text", "Hello, world."],
    ["text after it", `${tag} is how it looks.`],
    ["text after a run", `${tag}\n${mention}.`],
    ["a fence around it", `\`\`\`xml\n${tag}\n\`\`\``],
    ["a quote", `\`${mention}\``],
    ["a tool that was not offered", tag.replace("bash", "rm")],
    ["another tool after an offered one", `${tag}\n${tag.replace("bash", "rm")}`],
    ["a fence in the line of another form", `${tag} ${fence}`],
    ["other letters", tag.replace("bash", "Bash")],
    ["the beginning of a name", tag.replace("bash", "bas")],
    ["a name and more", tag.replace("bash", "bash_out")],
    ["an escaped name", tag.replace("bash", "b\\u0061sh")],
    ["a name that is not a string", '<tool_call>{"name":5,"arguments":{}}</tool_call>'],
    ["arguments as text", '<tool_call>{"name":"bash","arguments":"{}"}</tool_call>'],
    ["arguments as a list", '<tool_call>{"name":"bash","arguments":[]}</tool_call>'],
    ["no arguments", '<tool_call>{"name":"bash"}</tool_call>'],
    ["no name", '<tool_call>{"arguments":{}}</tool_call>'],
    ["two names", '<tool_call>{"name":"bash","tool":"bash","arguments":{}}</tool_call>'],
    ["two kinds of arguments", '<tool_call>{"name":"bash","input":{},"arguments":{}}</tool_call>'],
    ["another key", '```json\n{"name":"bash","arguments":{},"id":1}\n```'],
    ["broken JSON", '<tool_call>{"name":"bash","arguments":{command:ls}}</tool_call>'],
    ["brackets that do not match", '<tool_call>{"name":"bash","arguments":{"a":[}]}</tool_call>'],
    ["a line break in a string", '<tool_call>{"name":"bash","arguments":{"a":"\n"}}</tool_call>'],
    ["a missing end", tag.slice(0, -1)],
    ["a missing end of a fence", fence.slice(0, -1)],
    ["a missing bracket", mention.slice(0, -1)],
    ["two objects in a fence", fence.replace("\n```", '\n{"a":1}\n```')],
    ["a longer fence", `\`${fence}\``],
    ["a fence in a line", `See: ${fence}`],
    ["a fence of another language", fence.replace("json", "json5")],
    ["a fence without a language", fence.replace("json", "")],
    ["other JSON in a fence", '```json\n{"name":"curlew","version":"1.0.0"}\n```'],
    ["a list in a fence", '```json\n[{"name":"bash","arguments":{}}]\n```'],
    ["a mention without arguments", "[Called tool: bash]"],
    ["a mention with empty arguments", "[Called tool: bash()]"],
    ["an empty list of calls", "<function_calls></function_calls>"],
    ["an invocation of another tool", invoke("rm", "")],
    ["a parameter twice", invoke("bash", '<parameter name="a">1</parameter><parameter name="a">2</parameter>')],
    ["words in an invocation", invoke("bash", "ls")],
    ["words between invocations", invocation.replace("</invoke>", "</invoke> and")],
    ["an open invocation", invocation.slice(0, -20)],
    ["the beginning of a form", "Done.\n<tool"],
    ["the beginning of a second form", `${tag}\n<`],
    ["white space alone", " \n"],
    ["nothing", ""],
  ])("stays text with %s", (_, whole) => {
    for (const slices of slicings(whole)) {
      expect(digest(feed(step(), slices))).toMatchObject({ text: whole, calls: [], finish: "stop" });
    }
  });

  it("takes the type of each parameter from the tool's schema", () => {
    const written = (key: string, value: string) => `<parameter name="${key}">${value}</parameter>`;
    const parameters = [
      written("path", "5"),
      written("lines", "5"),
      written("tags", '["a"]'),
      written("note", "null"),
      written("any", "true"),
      written("unheard", "5"),
      written("__proto__", "<b>\n</param </parameter"),
    ].join("\n");
    for (const slices of slicings(invoke("read", parameters))) {
      const [call] = digest(feed(step(), slices)).calls;
      expect(call?.input).toBe(
        '{"path":"5","lines":5,"tags":["a"],"note":"null","any":true,"unheard":"5","__proto__":"<b>\\n</param </parameter"}',
      );
    }
    const [call] = digest(feed(step(), [invoke("read", written("lines", "five"))])).calls;
    expect(call?.input).toBe('{"lines":"five"}');
  });

  it("never changes text without a tool of this request", () => {
    const random = seededRandom(3);
    for (let round = 0; round < 400; round++) {
      const whole = soup(random);
      for (const slices of slicings(whole)) {
        expect(digest(feed(step([tool("unwritten")]), slices))).toMatchObject({
          text: whole,
          calls: [],
          finish: "stop",
        });
      }
    }
  });

  it("has the same result for every slicing", () => {
    const random = seededRandom(5);
    let found = 0;
    for (let round = 0; round < 400; round++) {
      const [first, ...others] = slicings(soup(random)).map((slices) => digest(feed(step(), slices)));
      for (const other of others) expect(other).toEqual(first);
      found += first?.calls.length ?? 0;
    }
    expect(found).toBeGreaterThan(10);
  });
});

describe("the step over written calls", () => {
  it.each<[string, Batch]>([
    ["plain text", [text("Hello, "), text("world. a[0] < b `c`"), finish]],
    ["a form that breaks at once", [text("The tag <tool_call> is used for that."), finish]],
    ["other events", [{ type: "thinking", delta: tag }, { type: "call-result", id: "1", summary: tag }, finish]],
    ["a cut reply", [{ type: "finish", reason: "length" }]],
  ])("returns the same array for %s", (_, batch) => expect(step().push(batch)).toBe(batch));

  it("is a no-op when no tools were offered", () => {
    const batch = [text(tag), finish];
    expect(step([]).push(batch)).toBe(batch);
  });

  it.each<[string, string]>([
    ["Hello <", "<"],
    ["Hello <t", "<t"],
    ["Hello <d", ""],
    ["Hello <table>", ""],
    ["Hello [C", "[C"],
    ["Hello [c", ""],
    ["Hello `", ""],
    ["Hello\n`", "`"],
    ["Hello\n```js", "```js"],
    ["Hello\n```jsx", ""],
    ["Hello\n```python\nx = [1]\n", ""],
    ["Hello\n```python\nx\n```", "```"],
    ["Hello\n```python\nx\n```\n", ""],
    ["```json\n", "```json\n"],
    ["```json\n[", "["],
    ["```json\n[1", ""],
    ['```json\n{"v', ""],
    ['```json\n{"name": "cur', ""],
    ['```json\n{"name": "bas', '```json\n{"name": "bas'],
    ['```json\n{"name": "bash", "version', ""],
    ["<tool_call>x", ""],
    ['<tool_call>{"name":"bash","arguments":{"a":"\n', ""],
    ["<tool_call>\n```json", "```json"],
    ["<tool_call>x```json", ""],
    ['<tool_call>{"name":"rm', ""],
    ['<function_calls>\n<invoke name="r', '<function_calls>\n<invoke name="r'],
    ['<function_calls>\n<invoke name="rm', ""],
    ["[Called tool: bash_", "[Called tool: bash_"],
    ["[Called tool: bash_x", ""],
    [`${tag}\n\n`, `${tag}\n\n`],
    [`${tag}\n\nThat`, ""],
  ])("after %j holds only what can still become a call: %j", (whole, held) => {
    for (const slices of slicings(whole)) {
      const one = step();
      const passed = slices.flatMap((delta) => one.push([text(delta)]));
      expect(digest(passed).text).toBe(whole.slice(0, whole.length - held.length));
      expect(digest(one.end()).text).toBe(held);
    }
  });

  it("releases a form as text only if it grows beyond 64 KiB", () => {
    const sized = (length: number) => {
      const empty = '[Called tool: bash({"s":""})]';
      return empty.replace('""', `"${"x".repeat(length - empty.length)}"`);
    };
    for (const size of [65_536, 65_537, 70_000]) {
      const whole = sized(size);
      const slices = Array.from({ length: Math.ceil(size / 97) }, (_, index) =>
        whole.slice(index * 97, index * 97 + 97),
      );
      for (const result of [feed(step(), [whole]), feed(step(), slices)].map(digest)) {
        expect(result.calls).toHaveLength(size > 65_536 ? 0 : 1);
        expect(result.text).toBe(size > 65_536 ? whole : "");
      }
    }
  });

  it("still detects a call after it has released a large one", () => {
    const large = `<tool_call>{"name":"bash","arguments":{"s":"${"x".repeat(70_000)}"}}</tool_call>`;
    for (const slices of [[`${large}\n${tag}`], [large, "\n", tag]]) {
      expect(digest(feed(step(), slices))).toMatchObject({ text: `${large}\n`, calls: [ls], finish: "tool-calls" });
    }
  });

  it("releases the held text at a real call, and is a no-op from then on", () => {
    const call: TurnEvent = { type: "call", id: "1", name: "bash", runs: "client" };
    const one = step();
    expect(one.push([text(tag), call])).toEqual([text(tag), call]);
    const later: Batch = [text(tag), called];
    expect(one.push(later)).toBe(later);
    const together = [call, ...later];
    expect(step().push(together)).toBe(together);
  });

  it("continues at a line start after a call that ran elsewhere", () => {
    const call: TurnEvent = { type: "call", id: "1", name: "search", runs: "gateway" };
    const one = step();
    expect(one.push([text(`I search.${tag}`), call])).toEqual([text("I search."), text(tag), call]);
    expect(digest(one.push([text(fence), finish]))).toMatchObject({ text: "", calls: [ls], finish: "tool-calls" });
  });

  it("leaves a form as text if thinking follows", () => {
    const batch = [text(tag), thinking("hm"), finish];
    expect(step().push(batch)).toEqual(batch);
  });

  it("ignores events without words", () => {
    const events = step().push([text(tag.slice(0, 20)), checkpoint, text(tag.slice(20)), checkpoint, finish]);
    expect(digest(events)).toMatchObject({ text: "", calls: [ls], finish: "tool-calls" });
    expect(events.slice(0, 2)).toEqual([checkpoint, checkpoint]);
  });

  it.each<TurnEvent>([
    { type: "finish", reason: "length" },
    { type: "finish", reason: "filtered" },
    { type: "finish", reason: "stop", stopSequence: "END" },
  ])("leaves a form as text at the end of a cut reply: %j", (cut) => {
    expect(step().push([text(tag), cut])).toEqual([text(tag), cut]);
  });

  it("emits whole client calls before the finish", () => {
    expect(step().push([text(tag), finish])).toEqual([...callOf("call_1", "bash", ls.input), called]);
  });

  it("releases the held text when a reply breaks off, and nothing after a finish", () => {
    const broken = step();
    expect(broken.push([text(`a${tag}`)])).toEqual([text("a")]);
    expect(broken.end()).toEqual([text(tag)]);
    expect(broken.end()).toEqual([]);
    const finished = step();
    finished.push([text(tag), finish]);
    expect(finished.end()).toEqual([]);
  });

  it("never splits a surrogate pair", () => {
    const events = step().push([text("<tool_call>🦆<🦆[Called tool: 🦆")]);
    expect(events).toEqual([text("<tool_call>🦆<🦆[Called tool: 🦆")]);
  });
});

/** Random sequences of form fragments: mostly broken, sometimes whole. */
function soup(random: () => number): string {
  const pieces = [
    tag,
    mention,
    `\n${fence}`,
    invocation,
    "<tool_call>",
    "</tool_call>",
    '{"name":"bash","arguments":{}}',
    '{"name":"bash",',
    '"arguments":{"a":"',
    '"}}',
    "\n```json\n",
    "```",
    "\n",
    "[Called tool: ",
    "bash(",
    "{}",
    ")]",
    '<function_calls><invoke name="bash">',
    '<parameter name="a">',
    "</parameter>",
    "</invoke>",
    "</function_calls>",
    "<",
    "[",
    "`",
    " ",
    "x",
    "🦆",
  ];
  const count = 1 + Math.floor(random() * 8);
  return Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)]).join("");
}
