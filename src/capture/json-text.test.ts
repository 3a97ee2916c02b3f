import { expect, it } from "vitest";
import { segmentsOfJson } from "./json-text.js";

function written(text: string): string {
  return segmentsOfJson(text)
    .map((segment) => (segment.isShown ? segment.text : "x".repeat(segment.text.length)))
    .join("");
}

it("shows the syntax of JSON and none of its texts", () => {
  const text = String.raw`{"path":"/home/ada \"x\" \\","n":[12,true,null]}`;
  expect(written(text)).toBe('{"xxxx":"xxxxxxxxxxxxxxxxxx","x":[12,true,null]}');
});

it("gives beginnings of the same for beginnings", () => {
  const whole = '{"word":"a \\u00e9 \\" b","n":1}';
  for (let end = 0; end <= whole.length; end++)
    expect(written(whole).startsWith(written(whole.slice(0, end)))).toBe(true);
});
