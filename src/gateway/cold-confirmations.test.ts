import { beforeEach, describe, expect, it } from "vitest";
import type { Message } from "../turn/turn.js";
import { ColdConfirmations } from "./cold-confirmations.js";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const says = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const calling: Message = { role: "assistant", content: [{ type: "call", id: "one", name: "tool", input: "{}" }] };
const results: Message = { role: "tool", results: [{ callId: "one", content: [], isError: false }] };

const history = [user("a"), says("b"), user("c"), says("d")];
const turn = [...history, user("e")];

let nowMs: number;
let confirmations: ColdConfirmations;
const confirm = (messages: readonly Message[], owner = "me") => confirmations.confirm(owner, messages);
beforeEach(() => {
  nowMs = 5;
  confirmations = new ColdConfirmations(() => nowMs);
});

it("asks once, and takes the next request of the conversation after 2 s as the answer", () => {
  expect(confirm(turn)).toBe(false);
  nowMs += 1_999;
  expect(confirm(turn)).toBe(false);
  nowMs += 1;
  expect(confirm(turn)).toBe(true);
});

it("lets a client that repeats its request every second pass in the end", () => {
  const passed = Array.from({ length: 4 }, () => {
    const isConfirmed = confirm(turn);
    nowMs += 1_000;
    return isConfirmed;
  });
  expect(passed).toEqual([false, false, true, true]);
});

describe("after the question, passes", () => {
  it.each([
    ["the same request", turn],
    ["other words in its place", [...history, user("yes, go on")]],
    ["more words behind it", [...turn, user("yes, go on")]],
    ["an edited history", [...history.slice(0, 2), user("c, but edited"), says("d"), user("e")]],
  ])("%s", (_, messages) => {
    confirm(turn);
    nowMs += 2_000;
    expect(confirm(messages)).toBe(true);
  });
});

it("lets a confirmed turn be repeated and go on with its results, and asks about the next one", () => {
  confirm(turn);
  nowMs += 2_000;
  expect(confirm(turn)).toBe(true);
  expect(confirm(turn)).toBe(true);
  expect(confirm([...turn, calling, results])).toBe(true);
  const next = [...turn, says("f"), user("g")];
  expect(confirm(next)).toBe(false);
  nowMs += 2_000;
  expect(confirm(next)).toBe(true);
});

it.each([
  ["another conversation", turn.with(1, says("another answer")), "me"],
  ["the same words of another owner", turn, "somebody else"],
])("does not take %s as the answer", (_, messages, owner) => {
  confirm(turn);
  nowMs += 2_000;
  expect(confirm(messages, owner)).toBe(false);
});

it("can be asked what it will do, and does not count that as a request", () => {
  expect(confirmations.isDue("me", turn)).toBe(true);
  nowMs += 10_000;
  expect(confirm(turn)).toBe(false);
  nowMs += 2_000;
  expect(confirmations.isDue("me", turn)).toBe(false);
  expect(confirm([...history, user("another")])).toBe(true);
  expect(confirmations.isDue("me", turn)).toBe(true);
});

it("remembers a thousand conversations", () => {
  const other = (at: number) => [user("a"), says(`${at}`), user("e")];
  for (let at = 0; at < 1_001; at++) confirm(other(at));
  nowMs += 2_000;
  expect([confirm(other(1)), confirm(other(0))]).toEqual([true, false]);
});
