import { describe, expect, it } from "vitest";
import { MAX_BODY_VALUES, MAX_JSON_DEPTH, MAX_MESSAGES } from "../../../turn/request-limits.js";
import { parseJson } from "./parse-json.js";

const parse = (text: string) => parseJson(Buffer.from(text));
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const problemOf = (bytes: Buffer | string) => {
  try {
    parseJson(Buffer.from(bytes));
  } catch (thrown) {
    return thrown;
  }
  return undefined;
};

/** The error message for invalid JSON. */
const flawOf = (bytes: Buffer | string) => {
  const problem = problemOf(bytes);
  expect(problem).toMatchObject({ code: "invalid_json" });
  return problem instanceof Error ? problem.message : "";
};

describe("the JSON of a body", () => {
  it("is read, with or without a byte order mark", () => {
    expect(parse('{"a":"é"}')).toEqual({ a: "é" });
    expect(parse('\uFEFF{"a":1}')).toEqual({ a: 1 });
  });

  it("is refused with the position of the fault, without quoting the text", () => {
    const problem = flawOf('{\n "secret": "prompt",\n oops\n}');
    expect(problem).toBe("The body is not valid JSON at line 3, column 2 (position 24).");
    expect(flawOf('{"secret": "pro')).toBe(
      "The body is cut off: it ends in the middle of its JSON, at line 1, column 16 (position 15).",
    );
  });

  it("is refused without a position when it is very long, to avoid a slow search", () => {
    expect(flawOf(`${" ".repeat(3_000_000)}oops`)).toBe("The body is not valid JSON.");
  });

  it("is refused when it is not UTF-8, or empty", () => {
    expect(flawOf(Buffer.from([0x22, 0xff, 0x22]))).toContain("not valid UTF-8");
    expect(flawOf(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toContain("not valid UTF-8");
    for (const empty of ["", " \n", "\uFEFF"]) expect(flawOf(empty)).toContain("empty");
  });
});

describe("an oversized body", () => {
  const listed = (count: number) => JSON.stringify({ model: "m", messages: Array.from({ length: count }, () => ({})) });

  it("is refused by the number of its messages, with the limit in the error", () => {
    expect(parse(listed(MAX_MESSAGES))).toMatchObject({ messages: { length: MAX_MESSAGES } });
    expect(problemOf(listed(MAX_MESSAGES + 1))).toMatchObject({
      code: "invalid_request",
      param: "messages",
      message: expect.stringContaining(`messages: must have at most ${MAX_MESSAGES} entries`),
    });
  });

  it("is refused before it is parsed, even if it is broken later", () => {
    const broken = listed(MAX_MESSAGES + 1).slice(0, -1);
    expect(problemOf(broken)).toMatchObject({ code: "invalid_request", param: "messages" });
    expect(problemOf(`${"[".repeat(MAX_JSON_DEPTH + 1)}`)).toMatchObject({ code: "invalid_request" });
  });

  it("may have more parts in one message, but not more values", () => {
    const parts = (count: number) =>
      JSON.stringify({ messages: [{ content: Array.from({ length: count }, () => 1) }] });
    expect(problemOf(parts(MAX_MESSAGES + 1))).toBeUndefined();
    expect(problemOf(parts(MAX_BODY_VALUES + 1))).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(`more than ${MAX_BODY_VALUES} values`),
    });
  });

  it("is refused by its depth", () => {
    expect(problemOf(nested(MAX_JSON_DEPTH))).toBeUndefined();
    expect(problemOf(nested(MAX_JSON_DEPTH + 1))).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(`more than ${MAX_JSON_DEPTH} deep`),
    });
  });

  it("does not repeat unknown names", () => {
    const strange = JSON.stringify({ "<b>": Array.from({ length: MAX_MESSAGES + 1 }, () => 0) });
    expect(problemOf(strange)).toMatchObject({ message: expect.stringMatching(/^body: /), param: undefined });
  });
});

describe("the content of a string", () => {
  const brackets = "[".repeat(MAX_JSON_DEPTH + 1);
  const endings = ["", '"', "\\", '\\"', '""', "\\\\", '\\\\"', "ü", "🐦"];

  it.each(endings)("is not counted, however it ends and wherever the search for its end begins: %j", (ending) => {
    for (let length = 0; length < 140; length++) {
      const text = `${"x".repeat(length)}${ending}${brackets}${ending}`;
      const body = { [text]: [text, { [ending]: text }], last: ending };
      expect(parse(JSON.stringify(body))).toEqual(body);
    }
  });

  it("does not hide what follows it", () => {
    for (const ending of endings) {
      const text = JSON.stringify(`${"x".repeat(63)}${ending}`);
      expect(problemOf(`[${text}, ${nested(MAX_JSON_DEPTH)}]`)).toMatchObject({ code: "invalid_request" });
    }
  });
});
