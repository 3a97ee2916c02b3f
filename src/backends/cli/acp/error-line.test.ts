import { describe, expect, it } from "vitest";
import { ErrorLine } from "./error-line.js";

/** The result for an answer that comes in slices of this many characters. */
function readIn(answer: string, size: number): { text: string; failure: string | undefined } {
  const lines = new ErrorLine();
  let text = "";
  for (let at = 0; at < answer.length; at += size) text += lines.push(answer.slice(at, at + size));
  const end = lines.end();
  return { text: text + end.text, failure: end.failure };
}

describe.each([1, 7, 10_000])("in slices of %i", (size) => {
  it.each([
    ["alone", "Error: T: [unavailable] No network", "", "Error: T: [unavailable] No network"],
    [
      "behind text",
      "So far\n\nError: RetriableError: [canceled] x\n\n",
      "So far",
      "Error: RetriableError: [canceled] x",
    ],
    ["in the same line as text", "It says Error: T: [unavailable] x", "It says Error: T: [unavailable] x", undefined],
    [
      "with more text behind it",
      "Error: T: [unavailable]\nis what it said",
      "Error: T: [unavailable]\nis what it said",
      undefined,
    ],
    [
      "twice, the last at the end",
      "Error: T: [internal]\nError: S: [internal] y",
      "Error: T: [internal]\n",
      "Error: S: [internal] y",
    ],
    ["in a code fence", "```\nError: T: [unavailable] x\n```", "```\nError: T: [unavailable] x\n```", undefined],
    ["in a fence that never closes", "```\nError: T: [unavailable] x", "```\nError: T: [unavailable] x", undefined],
    ["on a limit", "Error: ActionRequiredError: You've hit it.", "", "Error: ActionRequiredError: You've hit it."],
    ["behind an error of the model's own", "Error: no\nError: T: [internal] y", "Error: no", "Error: T: [internal] y"],
    ["of another kind", "Error: file not found", "Error: file not found", undefined],
    ["hardly begun", "Well\nErr", "Well\nErr", undefined],
    [
      "far too long",
      `Error: T: [internal] ${"x".repeat(5_000)}`,
      `Error: T: [internal] ${"x".repeat(5_000)}`,
      undefined,
    ],
    ["nowhere", "a\n\nb\n", "a\n\nb\n", undefined],
  ])("a line with a failure %s", (_, answer, text, failure) => {
    expect(readIn(answer, size)).toEqual({ text, failure });
  });
});

it("lets everything else pass at once, but for line ends", () => {
  const lines = new ErrorLine();
  expect(lines.push("Hello ")).toBe("Hello ");
  expect(lines.push("world\n")).toBe("world");
  expect(lines.push("Error: no\n")).toBe("\nError: no");
  expect(lines.push("E")).toBe("");
  expect(lines.push("x")).toBe("\nEx");
});

it("takes no longer for a word of a long line than for one of a short line", () => {
  const lines = new ErrorLine();
  const word = "word ".repeat(4);
  let length = 0;
  for (let count = 0; count < 200_000; count++) length += lines.push(word).length;
  expect(length).toBe(200_000 * word.length);
});
