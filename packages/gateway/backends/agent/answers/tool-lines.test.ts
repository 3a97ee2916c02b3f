import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../turn/turn.js";
import { signatureOf, withToolLines } from "./tool-lines.js";

const tool = (name: string, description = "", inputSchema: ToolDefinition["inputSchema"] = {}): ToolDefinition => {
  return { name, description, inputSchema };
};
const linesOf = (tools: readonly ToolDefinition[]) => withToolLines("", tools).split("\n").slice(1);

describe("the lines about tools", () => {
  const tide = tool("tide", "Tells the tide.", {
    type: "object",
    properties: { at: { type: "string" }, unit: { enum: ["m", "ft"] } },
    required: ["at"],
  });

  it("follow the system prompt, one per tool", () => {
    const text = withToolLines("You sail.", [tide, tool("wind")]);
    expect(text).toMatch(/^You sail\.\n\nTools that the user's application offers, one on each line: /);
    expect(text.split("\n").slice(3)).toEqual(['- tide(at: string, unit?: "m" | "ft"): Tells the tide.', "- wind()"]);
  });

  it("stand alone without a system prompt, and are missing without tools", () => {
    expect(withToolLines("", [tide])).toMatch(/^Tools that/);
    expect(withToolLines("You sail.", [])).toBe("You sail.");
    expect(withToolLines("", [])).toBe("");
  });

  it("do not depend on the order of the tools", () => {
    const tools = ["b", "a", "c"].map((name) => tool(name, `Does ${name}.`));
    expect(withToolLines("Be brief.", tools)).toBe(withToolLines("Be brief.", tools.toReversed()));
  });

  it("are made once per list, for any prompt", () => {
    let reads = 0;
    const counted = tool("counted");
    Object.defineProperty(counted, "description", { get: () => `Read ${++reads} times.` });
    const tools = [counted];
    const first = withToolLines("You sail.", tools);
    expect(withToolLines("You sail.", tools)).toBe(first);
    expect(withToolLines("You row.", tools)).toBe(first.replace("sail", "row"));
    expect(reads).toBe(1);
  });

  it("hold one paragraph of a description, on one line, cut between words", () => {
    const [line = ""] = linesOf([tool("note", "Keeps\n  a note.\n\nNever use it for secrets.")]);
    expect(line).toBe("- note(): Keeps a note.");
    const [long = ""] = linesOf([tool("note", "word ".repeat(200))]);
    expect(long).toMatch(/^- note\(\): (word )+word…$/);
    expect(long.length).toBeLessThanOrEqual(220);
  });

  it("lose optional arguments, then all, but never the name", () => {
    const optional = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`option_${at}`, { type: "string" }]));
    const properties = { at: { type: "string" }, ...optional };
    const [some = ""] = linesOf([tool("find", "Finds.", { type: "object", properties, required: ["at"] })]);
    expect(some).toBe("- find(at: string, …): Finds.");
    const [none = ""] = linesOf([
      tool("find", "Finds.", { type: "object", properties, required: Object.keys(properties) }),
    ]);
    expect(none).toBe("- find(…): Finds.");
  });

  it("stay within their limits for many and long tools", () => {
    const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        tool(`mcp__server__tool_${at}`, "Does one thing well. ".repeat(90), schema),
      );
    for (const count of [1, 30, 128, 400, 2_000]) {
      const lines = linesOf(many(count));
      expect(lines.join("\n").length).toBeLessThan(12_100);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(400);
      const left = Number(/^- and (\d+) more$/.exec(lines.at(-1) ?? "")?.[1] ?? 0);
      expect(lines.length - Number(left > 0) + left).toBe(count);
    }
    expect(linesOf(many(128))).toHaveLength(128);
    expect(linesOf(many(128))[0]).toMatch(/^- mcp__server__tool_0\(path: string\): Does one thing.*…$/);
  });

  it("leave no tool out when all of them fill their share", () => {
    for (const count of [30, 40, 60, 100, 200]) {
      const full = (at: number) => tool(`t${String(at).padStart(3, "0")}`, "x".repeat(500), fullSchema);
      const names = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(20));
      const fullSchema = { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) };
      const lines = linesOf(Array.from({ length: count }, (_, at) => full(at)));
      expect(lines).toHaveLength(count);
      expect(lines.at(-1)).toMatch(/^- t/);
    }
  });

  it("are one line each, even with line breaks in a description", () => {
    const lines = linesOf([tool("a", "One.\n- b(): not a tool"), tool("c", "x\u2028y\r\nz")]);
    expect(lines).toEqual(["- a(): One. - b(): not a tool", "- c(): x y z"]);
  });
});

const object = (properties: object, ...required: string[]) => ({ type: "object", properties, required });
const all = (schema: Record<string, unknown>) => signatureOf(schema, "all");

const text = { type: "string" };
const todo = object({ text, done: { type: "boolean" } }, "text");
const place = object({ lat: { type: "number" } }, "lat");

it.each([
  [{ type: "object" }, ""],
  [object({ city: text, days: { type: "integer" } }, "city"), "city: string, days?: integer"],
  [object({ unit: { enum: ["C", "F", 1, null] } }), 'unit?: "C" | "F" | 1 | null'],
  [object({ kind: { const: "tide" } }), 'kind?: "tide"'],
  [object({ at: { type: ["string", "null"] } }), "at?: string | null"],
  [object({ at: { anyOf: [text, { type: "number" }, text] } }), "at?: string | number"],
  [object({ a: { type: "array", items: text }, b: { type: "array" } }), "a?: string[], b?: any[]"],
  [object({ a: { type: "array", items: { enum: ["x", "y"] } } }), 'a?: ("x" | "y")[]'],
  [object({ todos: { type: "array", items: todo } }), "todos?: {text: string, done?: boolean}[]"],
  [{ ...object({ at: { $ref: "#/$defs/Place" } }), $defs: { Place: place } }, "at?: {lat: number}"],
  [object({ a: {}, b: { $ref: "x.json" }, c: true, d: { type: 5 } }), "a?: any, b?: any, c?: any, d?: any"],
  [object({ "a b": text }), '"a b"?: string'],
])("writes %o as: %s", (schema, expected) => expect(all(schema)).toBe(expected));

it("leaves out optional arguments, with a mark", () => {
  const schema = object({ a: { type: "string" }, b: { type: "string" } }, "b");
  expect(signatureOf(schema, "required")).toBe("b: string, …");
});

it("shortens long lists of choices", () => {
  expect(all(object({ n: { enum: Array.from({ length: 30 }, (__, at) => at) } }))).toBe(
    "n?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | …",
  );
  expect(all(object({ n: { enum: ["x".repeat(1_000)] } }))).toBe("n?: …");
});

it("terminates for recursive and very wide schemas", () => {
  const endless = object({ next: { $ref: "#" } });
  expect(all(endless)).toBe("next?: {next?: object}");
  const choices = Array.from({ length: 50 }, () => ({ $ref: "#/$defs/a" }));
  const wide = { ...object({ a: { $ref: "#/$defs/a" } }), $defs: { a: { anyOf: choices } } };
  expect(all(wide).length).toBeLessThan(100);
  const many = object(Object.fromEntries(Array.from({ length: 10_000 }, (__, at) => [`p${at}`, { type: "string" }])));
  expect(all(many).split(", ")).toHaveLength(201);
});

it("does not follow references out of the schema", () => {
  expect(all({ ...object({ a: { $ref: "#/constructor/name" }, b: { $ref: "#/__proto__" } }) })).toBe(
    "a?: any, b?: any",
  );
});
