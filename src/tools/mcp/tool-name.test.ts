import { expect, it } from "vitest";
import { toolName } from "./bridge.js";

const free = () => false;

it("is made of the server and the tool", () => {
  expect(toolName("hybrid-memory", "memory_stats", free)).toBe("mcp__hybrid-memory__memory_stats");
});

it("has no character that a dialect refuses", () => {
  expect(toolName("my server", "a.b/ü", free)).toBe("mcp__my_server__a_b__");
});

it("has at most 64 characters, and long names that begin alike differ", () => {
  const long = "x".repeat(80);
  const names = [toolName("s", `${long}1`, free), toolName("s", `${long}2`, free), toolName("s".repeat(64), "t", free)];
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[\w-]{64}$/);
  expect(toolName("s", `${long}1`, free)).toBe(names[0]);
});

it("differs where two tools would have the same", () => {
  const taken = new Set([toolName("a", "b c", free)]);
  const other = toolName("a", "b_c", (name) => taken.has(name));
  expect(other).toMatch(/^mcp__a__b_c_[0-9a-f]{8}$/);
  taken.add(other);
  expect(taken).not.toContain(toolName("a", "b_c", (name) => taken.has(name)));
});
