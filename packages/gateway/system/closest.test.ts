import { describe, expect, it } from "vitest";
import { closest, didYouMean } from "./closest.js";

const birds = ["curlew", "plover", "dunlin", "sanderling", "Ruff"];

describe("the closest candidates of a mistyped word", () => {
  it.each([
    ["curlw", ["curlew"]],
    ["culrew", ["curlew"]],
    ["CURLEW", ["curlew"]],
    ["ruf", ["Ruff"]],
    ["sandrleng", ["sanderling"]],
    ["ostrich", []],
    ["cu", []],
    ["rift", []],
  ])("of %s are %j", (word, expected) => expect(closest(word, birds)).toEqual(expected));

  it("count two swapped letters as one mistake", () => {
    expect(closest("hepl", ["keys", "help"], 2)).toEqual(["help"]);
    expect(closest("usgae", ["usage"], 1, 1)).toEqual(["usage"]);
    expect(closest("eplh", ["help"], 1, 1)).toEqual([]);
    expect(closest("satuts", ["start", "status"], 2)).toEqual(["status"]);
  });

  it("come nearest first, up to the given number", () => {
    const names = ["gpt-5.4-mini", "gpt-5.5", "gpt-5.4"];
    expect(closest("gpt-5.4", names, 2)).toEqual(["gpt-5.4", "gpt-5.5"]);
    expect(closest("gpt-5.4-mini", names, 3)).toEqual(["gpt-5.4-mini"]);
  });

  it("are offered in a question, if there are any", () => {
    expect(didYouMean("curlw", birds)).toBe(" Did you mean curlew?");
    expect(didYouMean("curlw", birds, "--")).toBe(" Did you mean --curlew?");
    expect(didYouMean("ostrich", birds)).toBe("");
    expect(didYouMean("sand", birds)).toBe(" Did you mean sanderling?");
  });
});
