import { expect, it } from "vitest";
import { createMemoryStore } from "../store/index.js";
import { noteReply, seenReply } from "./made-calls.js";

it("reads what was noted of a reply", () => {
  const store = createMemoryStore({ now: () => 1 });
  const reply = { backend: "agent", key: "k", system: "s", tools: "t", model: "a model with spaces" };
  noteReply(store, "me", "transcript", reply);
  expect(seenReply(store, "me", "transcript")).toEqual(reply);
  expect(seenReply(store, "me", "never seen")).toBeUndefined();
});
