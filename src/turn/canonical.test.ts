import { describe, expect, it } from "vitest";
import { canonicalCall, canonicalJson } from "./canonical.js";

describe.each([
  ["JSON", canonicalJson],
  ["a call", canonicalCall],
])("%s in its one form", (_, canonical) => {
  it.each([
    ["", "{}"],
    [" \n", "{}"],
    ['{"b":1,"a":[{"d":2,"c":3}]}', '{"a":[{"c":3,"d":2}],"b":1}'],
    ['{ "a" : 1.0 }', '{"a":1}'],
    ['{"a":1e2}', '{"a":100}'],
    ["9007199254740991", "9007199254740991"],
  ])("is %j as %j", (text, form) => expect(canonical(text)).toBe(form));

  it.each(["not json", "[".repeat(5_000) + "]".repeat(5_000)])("is %.40j itself", (text) =>
    expect(canonical(text)).toBe(text),
  );
});

it.each(['{"b":1,"a":9007199254740993}', '{"b":[-12345678901234567890]}', '{ "a": 1e400 }'])(
  "distinguishes the call %j from its neighbours, but not the transcript that a client sends back",
  (text) => {
    expect(canonicalCall(text)).toBe(text);
    expect(canonicalJson(text)).toBe(canonicalJson(JSON.stringify(JSON.parse(text))));
  },
);
