import { describe, expect, it } from "vitest";
import { PrefixCache } from "../../model/tokens.js";
import { Meter } from "./meter.js";

function prompt(keys: string) {
  return [...keys].map((key) => ({ key, tokens: 10 }));
}

describe("the prefix cache", () => {
  it.each([
    ["nothing of a new prompt", [], "abc", 0],
    ["all of a prompt that was read before", ["abc"], "abc", 30],
    ["the beginning that was read before", ["abc"], "abcde", 30],
    ["the beginning that two prompts share", ["abx"], "abcde", 20],
    ["nothing when the head differs", ["abc"], "xbc", 0],
    ["nothing behind the first difference", ["abcde"], "abxde", 20],
    ["the longest of several", ["a", "abcd", "ab"], "abcx", 30],
  ])("holds %s", (_name, before, keys, tokens) => {
    const cache = new PrefixCache();
    for (const read of before) cache.read(prompt(read));
    expect(cache.read(prompt(keys))).toBe(tokens);
  });

  it("forgets the oldest when it is full", () => {
    const cache = new PrefixCache(3);
    cache.read(prompt("a"));
    cache.read(prompt("bcd"));
    expect(cache.read(prompt("a"))).toBe(0);
  });
});

describe("the meter", () => {
  it("adds up all model calls of a turn, the cached part apart", () => {
    const meter = new Meter(new PrefixCache());
    expect(meter.read(prompt("ab"))).toEqual({ input: 20, cacheRead: 0 });
    meter.write(8, false);
    expect(meter.read(prompt("abcd"))).toEqual({ input: 40, cacheRead: 20 });
    meter.write(5, true);
    meter.write(0, false);
    expect(meter.usage).toEqual({ input: 60, output: 4, cacheRead: 20, cacheWrite: 40, reasoning: 2 });
    expect(meter.contextTokens).toBe(42);
  });
});
