import { describe, expect, it } from "vitest";
import { cpuMsOf } from "../../testing/cpu-time.js";
import { findJson } from "./find-json.js";

describe("an answer", () => {
  it.each([
    ['{"a":1}', ['{"a":1}']],
    ["  [1, 2]\n", ["[1, 2]"]],
    ["42", ["42"]],
    ['"words"', ['"words"']],
    ["null", ["null"]],
    ['```json\n{"a":1}\n```', ['{"a":1}']],
    ["```\n42\n```", ["42"]],
    ['Here it is:\n```json\n{"a":"``` }"}\n```\nAnything else?', ['{"a":"``` }"}']],
    ['Sure! {"a":{"b":"}"}} That is all.', ['{"a":{"b":"}"}}']],
    ['As [1] says: {"a":"\\"}"}', ["[1]", '{"a":"\\"}"}']],
    ['Fill in {name}: {"a":1}', ['{"a":1}']],
  ])("of %j holds %j", (answer, expected) => {
    const found = findJson(answer);
    expect(found).toEqual(expected.map((json) => ({ json, value: JSON.parse(json) })));
  });

  it.each([
    ["", "it is empty"],
    [" \n", "it is empty"],
    ["I would rather talk.", "it contains no JSON"],
    ['Well: {"unfit":', "the JSON that begins at character 7 is not complete"],
    ['{"a":{"b":1},', "the JSON that begins at character 1 is not complete"],
    ['{"a":{"b":1}, oops}', "what begins at character 1 is not valid JSON"],
    ["[] ".repeat(21), "it contains too many JSON values"],
    ['{"a":"', "the JSON that begins at character 1 is not complete"],
  ])("of %j has a problem: %s", (answer, problem) => {
    expect(findJson(answer)).toEqual({ problem });
  });

  it("is read once, however many brackets it opens", () => {
    const texts = ["{".repeat(1_000_000), "[]".repeat(200_000), "{x}".repeat(200_000)];
    for (const text of texts) expect(cpuMsOf(() => findJson(text))).toBeLessThan(5_000);
  });
});
