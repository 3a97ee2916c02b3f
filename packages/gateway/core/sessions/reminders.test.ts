import { describe, expect, it } from "vitest";
import { cpuMsOf } from "../../../../testing/cpu-time.js";
import { assistant, user } from "../../../../testing/samples/sample-turns.js";
import { knownIn, readKnownReminders, remainingMessages, splitReminders, writeKnownReminders } from "./reminders.js";

const reminder = (text: string) => `<system-reminder>${text}</system-reminder>`;
const said = assistant("b");

describe("words with reminders", () => {
  it.each([
    ["none", "hello", "hello", []],
    ["some", `a${reminder("1")}b${reminder("2")}c`, "abc", [reminder("1"), reminder("2")]],
    ["one in another", "a<system-reminder>1<system-reminder>2</system-reminder>b", "ab", undefined],
    ["one that does not end", "a<system-reminder>b", "a<system-reminder>b", []],
    ["an end alone", "a</system-reminder>b", "a</system-reminder>b", []],
  ])("are split: %s", (_, text, words, reminders) => {
    const split = splitReminders(text);
    expect(split.words).toBe(words);
    if (reminders !== undefined) expect(split.reminders).toEqual(reminders);
  });

  it("are split in linear time if the opening tags are never closed", () => {
    const text = "<system-reminder>".repeat(500_000);
    const split = () => expect(splitReminders(text).words).toHaveLength(text.length);
    expect(cpuMsOf(split)).toBeLessThan(5_000);
  });
});

describe("the rest of a conversation", () => {
  const knownReminders = knownIn([user(reminder("Monday"), "a")]);

  it("is unchanged without new reminders", () => {
    const messages = [user(reminder("Monday"), "a"), said, user("c")];
    expect(remainingMessages(messages, 2, knownReminders).rest).toEqual([user("c")]);
    expect(remainingMessages([user("a"), ...messages.slice(1)], 2, knownReminders).rest).toEqual([user("c")]);
  });

  it("begins with new reminders from earlier messages, once", () => {
    const messages = [user(reminder("Tuesday"), "a"), said, user(reminder("Hurry"), "c")];
    const next = remainingMessages(messages, 2, knownReminders);
    expect(next.rest).toEqual([user(`${reminder("Tuesday")}\n`, reminder("Hurry"), "c")]);
    const later = remainingMessages([...messages, said, user("e")], 4, next.knownReminders);
    expect(later.rest).toEqual([user("e")]);
  });

  it("puts them into a new message if no user message comes next", () => {
    const messages = [user(reminder("Tuesday"), "a"), said, said];
    expect(remainingMessages(messages, 2, knownReminders).rest).toEqual([user(`${reminder("Tuesday")}\n`), said]);
  });

  it("is not swamped by more reminders than can be remembered", () => {
    const many = user(...Array.from({ length: 5_000 }, (_, at) => reminder(`${at}`)));
    const kept = readKnownReminders(writeKnownReminders(knownIn([many])));
    expect(remainingMessages([many, said, user("c")], 2, kept).rest).toEqual([user("c")]);
  });
});

describe("known reminders", () => {
  it("survive a round trip", () => {
    const knownReminders = knownIn([user(reminder("1"), reminder("2"))]);
    expect(knownReminders.size).toBe(2);
    expect(readKnownReminders(writeKnownReminders(knownReminders))).toEqual(knownReminders);
    expect(readKnownReminders(writeKnownReminders(new Set()))).toEqual(new Set());
  });
});
