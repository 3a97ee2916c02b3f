import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../turn/turn.js";
import { ToolLists } from "./tool-lists.js";

const list = (name: string, description = ""): ToolDefinition[] => [
  { name, description, inputSchema: { type: "object", properties: { a: {}, b: {} } } },
];

describe("lists of tools", () => {
  it("are one object where they are equal, and only there", () => {
    const lists = new ToolLists();
    const first = list("read");
    expect(lists.same(first)).toBe(first);
    expect(lists.same(list("read"))).toBe(first);
    expect(lists.same([])).toBe(lists.same([]));
    const withSchema = (inputSchema: ToolDefinition["inputSchema"]) => [{ name: "read", description: "", inputSchema }];
    const others: ToolDefinition[][] = [
      list("write"),
      list("read", "Reads."),
      [...list("read"), ...list("write")],
      withSchema({ type: "object", properties: { b: {}, a: {} } }),
      withSchema({ type: "object", properties: { a: {} } }),
      withSchema({ type: "object", properties: { a: {}, b: [] } }),
      withSchema({ type: "object", properties: { a: {}, b: null } }),
      withSchema({ type: "object", properties: { a: {}, b: [[1, 2]] } }),
      withSchema({ type: "object", properties: { a: {}, b: [[1, "2"]] } }),
      withSchema({ type: "object", properties: { a: {}, b: [[1, 2, 3]] } }),
    ];
    const equal = structuredClone(others);
    for (const other of others) expect(lists.same(other)).toBe(other);
    for (const [at, other] of equal.entries()) expect(lists.same(other)).toBe(others[at]);
  });

  it("are forgotten where they are many, the one that was not used for longest first", () => {
    const lists = new ToolLists();
    const used = lists.same(list("used"));
    const unused = lists.same(list("unused"));
    for (let at = 0; at < 63; at++) {
      lists.same(list(`tool ${at}`));
      expect(lists.same(list("used"))).toBe(used);
    }
    expect(lists.same(list("unused"))).not.toBe(unused);
  });

  it("are forgotten where they are large, and not kept where one alone is", () => {
    const lists = new ToolLists();
    const large = lists.same(list("large", "x".repeat(1_200_000)));
    expect(lists.same(list("large", "x".repeat(1_200_000)))).toBe(large);
    const small = lists.same(list("small"));
    lists.same(list("larger", "y".repeat(1_200_000)));
    expect(lists.same(list("large", "x".repeat(1_200_000)))).not.toBe(large);
    expect(lists.same(list("small"))).not.toBe(small); // it was the oldest when the large one came back
    const huge = lists.same(list("huge", "x".repeat(2_200_000)));
    expect(lists.same(list("huge", "x".repeat(2_200_000)))).not.toBe(huge);
  });
});
