import { describe, expect, it } from "vitest";
import { tool } from "../../../testing/samples/sample-turns.js";
import { perPrompt, perToolList } from "./per-tool-list.js";
import type { ToolDefinition } from "./turn.js";

const tools = [tool("read")];

describe("a value derived from a list of tools", () => {
  it("is computed once for each list, even if it is undefined", () => {
    const made: (readonly ToolDefinition[])[] = [];
    const remember = perToolList((list) => {
      made.push(list);
    });
    const others = [...tools];
    for (const list of [tools, tools, others, tools]) remember(list);
    expect(made).toEqual([tools, others]);
  });

  it("is kept for the last system prompt, unless that is very long", () => {
    const made: string[] = [];
    const lengthOf = perPrompt((system, list) => {
      made.push(system.slice(0, 10));
      return system.length + list.length;
    });
    expect(lengthOf("one", tools)).toBe(4);
    expect(lengthOf("one", tools)).toBe(4);
    expect(lengthOf("other", tools)).toBe(6);
    expect(lengthOf("other", [])).toBe(5);
    expect(lengthOf("one", tools)).toBe(4);
    expect(made).toEqual(["one", "other", "other", "one"]);
    const long = "long ".repeat(100_000);
    expect([lengthOf(long, tools), lengthOf(long, tools)]).toEqual([500_001, 500_001]);
    expect(made.slice(4)).toEqual(["long long ", "long long "]);
  });
});
