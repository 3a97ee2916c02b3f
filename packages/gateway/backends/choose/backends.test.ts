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
])("sends %s to the backend of the first matching route: %s", (model, names) => {
  expect(backendsFor(model, routing)).toEqual(names);
});

it.each([
  ["a.c", "cli"],
  ["abc", "agent"],
  ["xa.c", "agent"],
  ["a.cx", "agent"],
])("matches a route literally and as a whole, except for the star: %s goes to %s", (model, name) => {
  expect(backendsFor(model, { usual: "agent", routes: { "a.c": "cli" }, fallback: [] })).toEqual([name]);
});

it("lists every backend that a turn may go to, once", () => {
  expect(backendsIn(routing)).toEqual(["agent", "cli", "sdk", "chat"]);
});
