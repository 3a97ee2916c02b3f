import { describe, expect, it } from "vitest";
import { MAX_BODY_VALUES, MAX_JSON_DEPTH, MAX_MESSAGES } from "../../../turn/request-limits.js";
import { parseJson } from "./parse-json.js";

const parse = (text: string) => parseJson(Buffer.from(text));
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const problemOf = (text: string) => {
  try {
    parse(text);
  } catch (thrown) {
    return thrown;
  }
  return undefined;
};

describe("a body with too much in it", () => {
  const listed = (count: number) => JSON.stringify({ model: "m", messages: Array.from({ length: count }, () => ({})) });

  it("is refused by the number of its messages, which the answer tells", () => {
    expect(parse(listed(MAX_MESSAGES))).toMatchObject({ messages: { length: MAX_MESSAGES } });
    expect(problemOf(listed(MAX_MESSAGES + 1))).toMatchObject({
      code: "invalid_request",
      param: "messages",
      message: expect.stringContaining(`messages: must have at most ${MAX_MESSAGES} entries`),
    });
  });

  it("is refused before it is parsed: nobody reads what stands behind", () => {
    const broken = listed(MAX_MESSAGES + 1).slice(0, -1);
    expect(problemOf(broken)).toMatchObject({ code: "invalid_request", param: "messages" });
    expect(problemOf(`${"[".repeat(MAX_JSON_DEPTH + 1)}`)).toMatchObject({ code: "invalid_request" });
  });

  it("may have that many parts in one message, but not any number of values", () => {
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

  it("does not repeat a name that is not ours", () => {
    const strange = JSON.stringify({ "<b>": Array.from({ length: MAX_MESSAGES + 1 }, () => 0) });
    expect(problemOf(strange)).toMatchObject({ message: expect.stringMatching(/^body: /), param: undefined });
  });
});

describe("the content of a string", () => {
  const brackets = "[".repeat(MAX_JSON_DEPTH + 1);
  const endings = ["", '"', "\\", '\\"', '""', "\\\\", '\\\\"', "ü", "🐦"];

  it.each(endings)("counts for nothing, however it ends and wherever the search for its end begins: %j", (ending) => {
    for (let length = 0; length < 140; length++) {
      const text = `${"x".repeat(length)}${ending}${brackets}${ending}`;
      const body = { [text]: [text, { [ending]: text }], last: ending };
      expect(parse(JSON.stringify(body))).toEqual(body);
    }
  });

  it("hides nothing that stands behind it", () => {
    for (const ending of endings) {
      const text = JSON.stringify(`${"x".repeat(63)}${ending}`);
      expect(problemOf(`[${text}, ${nested(MAX_JSON_DEPTH)}]`)).toMatchObject({ code: "invalid_request" });
    }
  });
});
