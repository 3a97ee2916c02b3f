import { expect, it } from "vitest";
import { createMemoryStore } from "../store/index.js";
import { noteReply, seenReply } from "./seen-replies.js";

it("reads what was noted of a reply, and what earlier versions noted as nothing", () => {
  const store = createMemoryStore({ now: () => 1 });
  const reply = { backend: "agent", key: "k", system: "s", tools: "t", model: "a model with spaces" };
  noteReply(store, "me", "transcript", reply);
  expect(seenReply(store, "me", "transcript")).toEqual(reply);
  store.putNote("me", "old", "seen");
  expect(seenReply(store, "me", "old")).toBeUndefined();
  expect(seenReply(store, "me", "never seen")).toBeUndefined();
});
