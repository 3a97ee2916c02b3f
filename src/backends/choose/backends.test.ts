import { expect, it } from "vitest";
import { backendsFor, backendsIn, type Routing } from "./backends.js";

const routing: Routing = {
  usual: "agent",
  routes: { "gpt-5*": "cli", "*": "sdk", "gpt-5.5": "chat" },
  fallback: ["cli", "agent"],
};

it.each([
  ["gpt-5.5", ["cli", "agent"]],
  ["GPT-5-mini", ["cli", "agent"]],
  ["opus", ["sdk", "cli", "agent"]],
])("sends %s where the first fitting route says: %s", (model, names) => {
  expect(backendsFor(model, routing)).toEqual(names);
});

it.each([
  ["a.c", "cli"],
  ["abc", "agent"],
  ["xa.c", "agent"],
  ["a.cx", "agent"],
])("takes a route by its letter and from end to end but for the star: %s goes to %s", (model, name) => {
  expect(backendsFor(model, { usual: "agent", routes: { "a.c": "cli" }, fallback: [] })).toEqual([name]);
});

it("names every backend once that a turn may go to", () => {
  expect(backendsIn(routing)).toEqual(["agent", "cli", "sdk", "chat"]);
});
