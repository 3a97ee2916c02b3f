import { expect, it } from "vitest";
import { PendingCalls } from "./pending-calls.js";

const waiting = (...ids: string[]) => ids.map((toolCallId) => JSON.stringify({ toolCallId, args: { text: "a b" } }));

it.each([
  { id: "call_1", texts: waiting("call_1", "call_2"), isPending: true },
  { id: "call_2", texts: waiting("call_1", "call_2"), isPending: true },
  { id: "call_1\nfc_2", texts: waiting("call_1\nfc_2"), isPending: true },
  { id: "functions.read:0", texts: waiting("functions.read:0"), isPending: true },
  { id: "call_1", texts: ["call_1"], isPending: true },
  { id: "call_1", texts: waiting("call_12"), isPending: false },
  { id: "functions.read:0", texts: waiting("functions.read:1"), isPending: false },
  { id: "call_1", texts: [], isPending: false },
])("$id is pending in $texts: $isPending", ({ id, texts, isPending }) => {
  expect(new PendingCalls(texts).has(id)).toBe(isPending);
});
