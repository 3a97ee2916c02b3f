import { describe, expect, it } from "vitest";
import { sampleProfile } from "../../../../../testing/samples/sample-profile.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { familyRules } from "../../profile/index.js";
import { encodeTools, MAX_FULL_NAME, PROVIDER, wireTools } from "./tool-definitions.js";

const tool = (name: string, inputSchema: ToolDefinition["inputSchema"] = { type: "object" }): ToolDefinition => ({
  name,
  description: "",
  inputSchema,
});
const long = (end: string) => `mcp__a_server_with_quite_a_name__${"and_a_tool_".repeat(8)}${end}`;

describe("the names of tools on the wire", () => {
  it("are the client's own where they fit, and the list stays the same object", () => {
    const tools = [tool("look"), tool("x".repeat(MAX_FULL_NAME - PROVIDER.length - 1))];
    const { tools: sent, wireName, clientName, renamed } = wireTools(tools);
    expect(sent).toBe(tools);
    expect(renamed(tools)).toBe(tools);
    expect(wireName("look")).toBe("look");
    expect(clientName("look")).toBe("look");
  });

  it("fit together with the name of the server, and map back to the client's", () => {
    const tools = [tool(long("one")), tool("look"), tool(long("two"))];
    const { tools: sent, wireName, clientName, renamed } = wireTools(tools);
    expect(encodeTools(sent).every(({ name }) => name.length <= MAX_FULL_NAME)).toBe(true);
    expect(new Set(sent.map(({ name }) => name)).size).toBe(3);
    expect(sent.map(({ name }) => clientName(name))).toEqual(tools.map(({ name }) => name));
    expect(tools.map(({ name }) => wireName(name))).toEqual(sent.map(({ name }) => name));
    expect(renamed(tools.slice(2))).toEqual(sent.slice(2));
  });

  it("leave the client's in the description, because prompts and tool choices use those", () => {
    const tools = [{ ...tool(long("one")), description: "Looks.\n" }, tool(long("two")), tool("look")];
    const { tools: sent, renamed } = wireTools(tools, ["anyOf"]);
    const expected = [`Also called ${long("one")}. Looks.`, `Also called ${long("two")}.`, ""];
    expect(sent.map(({ description }) => description)).toEqual(expected);
    expect(renamed(tools).map(({ description }) => description)).toEqual(expected);
    expect(sent[2]).toBe(tools[2]);
  });

  it("never collide with another tool's name, not even with a crafted one", () => {
    const meant = wireTools([tool(long("one"))]).wireName(long("one"));
    const tools = [tool(long("one")), tool(meant)];
    const { tools: sent, clientName } = wireTools(tools);
    expect(sent[1]?.name).toBe(meant);
    expect(sent[0]?.name).not.toBe(meant);
    expect(sent.map(({ name }) => clientName(name))).toEqual([long("one"), meant]);
  });

  it("are the same for tools of the history that are no longer offered", () => {
    const { wireName } = wireTools([tool(long("one"))]);
    expect(wireName(long("gone"))).toBe(wireTools([tool(long("gone"))]).wireName(long("gone")));
  });
});

describe("the schemas of tools on the wire", () => {
  const combined = tool("find", { type: "object", properties: { at: { anyOf: [{ type: "string" }, {}] } } });
  const plain = tool("look");

  const refusedBy = (id: string) => familyRules(sampleProfile)(id).schema?.refuses;

  it.each(["default", "gpt-5.5-low", "claude-opus-4-8-high", "cursor-grok-4.6"])(
    "are the client's own for %s",
    (id) => {
      const tools = [combined, plain];
      expect(wireTools(tools, refusedBy(id)).tools).toBe(tools);
      expect(wireTools(tools, refusedBy(id)).projected.size).toBe(0);
    },
  );

  it("are the client's own without a refused keyword", () => {
    const [sent] = wireTools([combined], ["oneOf"]).tools;
    expect(sent).toBe(combined);
    expect(wireTools([combined], ["anyOf"]).tools[0]).not.toEqual(combined);
  });

  it.each(["claude-fable-5-high", "claude-fable-5-thinking-xhigh"])("have no combinators for %s", (id) => {
    const tools = [combined, plain];
    const { tools: sent, projected } = wireTools(tools, refusedBy(id));
    expect(JSON.stringify(sent[0]?.inputSchema.properties)).not.toContain('"anyOf":');
    expect(sent[1]).toBe(plain);
    expect([...projected]).toEqual([["find", combined]]);
    expect(wireTools(tools, refusedBy(id))).toBe(wireTools(tools, refusedBy("claude-fable-5"))); // once for each list
  });
});
