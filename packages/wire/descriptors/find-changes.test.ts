import { describe, expect, it } from "vitest";
import { writtenBundle } from "../../../testing/official-sdk/written-bundle.js";
import { findChanges } from "./find-changes.js";

const bundle = writtenBundle();
const none = { added: [], changed: { sent: [], read: [] } };

it("finds nothing in descriptors that say what is known", () => {
  expect(findChanges(bundle)).toEqual(none);
});

describe("finds", () => {
  const text = "agent.v1.TextDeltaUpdate";
  const words = "agent.v1.UserMessage 1 string text";
  it.each([
    ["a new field", "TextDeltaUpdate|", "TextDeltaUpdate|9 mood 9?|", { added: [`${text} 9 optional string mood`] }],
    [
      "a new message",
      "ConversationStep|",
      "ConversationStep|9 mood #0|",
      { added: [expect.stringMatching(/^agent\.v1\.ConversationStep 9 agent\.v1\.\w+ mood$/)] },
    ],
    ["a new value", '"ThinkingStyle",[', '"ThinkingStyle",[[9,"MOOD"],', { added: ["agent.v1.ThinkingStyle 9 MOOD"] }],
    [
      "another type of a field that is read",
      "TextDeltaUpdate|1 text 9",
      "TextDeltaUpdate|1 text 12",
      { changed: { sent: [], read: [`${text} 1 string text is now bytes text`] } },
    ],
    ["another name", "UserMessage|1 text", "UserMessage|1 says", sends(`${words} is now string says`)],
    ["another type", "UserMessage|1 text 9", "UserMessage|1 text 12", sends(`${words} is now bytes text`)],
    ["another label", "UserMessage|1 text 9", "UserMessage|1 text 9*", sends(`${words} is now repeated string text`)],
    ["a oneof", "UserMessage|1 text 9", "UserMessage|1 text 9 way", sends(`${words} is now string text in way`)],
    ["a field that is gone", "UserMessage|1 text 9|", "UserMessage|", sends(`${words} is now gone`)],
    [
      "another number",
      "UserMessage|1 text 9|",
      "UserMessage|99 text 9|",
      { ...sends(`${words} is now gone`), added: ["agent.v1.UserMessage 99 string text"] },
    ],
    ["a message that is gone", '"UserMessage|', '"PersonMessage|', sends(`${words} is now gone`, true)],
  ])("%s", (_name, was, is, found) => {
    const changed = bundle.replace(was, is);
    expect(changed).not.toBe(bundle);
    expect(findChanges(changed)).toEqual({ ...none, ...found });
  });

  function sends(line: string, isMore = false) {
    return { changed: { sent: isMore ? expect.arrayContaining([line]) : [line], read: expect.any(Array) } };
  }
});

it("leaves out what is left out: its form, and further fields where none matter", () => {
  const others = bundle
    .replace("SelectedContext|", "SelectedContext|999 more 9|")
    .replace("left_out_7 9", "left_out_7 12");
  expect(others).not.toBe(bundle);
  expect(findChanges(others)).toEqual(none);
});

it("refuses descriptors that it cannot read", () => {
  expect(() => findChanges("export const nothing = 1;")).toThrow("0 of 0 messages can be read");
});
