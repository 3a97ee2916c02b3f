import { describe, expect, it } from "vitest";
import { maskCredentials } from "./mask-credentials.js";

const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl";

/** The expected texts have `*` for the mask. */
describe("text with a credential", () => {
  it.each([
    ["key crsr_0123-ab_c, please", "key *, please"],
    ["key_0123456789abcdef", "*"],
    [`curlew_${"aB3_-".repeat(8)}xyz`, "*"],
    [`Bearer ${token}`, "Bearer *"],
    ["authorization: bearer  anything-at-all;", "authorization: bearer *;"],
    ['{"a":"Basic dXNlcjpwYXNz"}', '{"a":"Basic *"}'],
    ["Bearer crsr_0123-ab_c", "Bearer *"],
    [`cookie user_01%3A%3A${token}; x`, "cookie user_01%3A%3A*; x"],
    [`${token} and ${token}.`, "* and *."],
    [`${token}.${token}`, "*.*"],
    [token.slice(0, -5), "*"],
    [token.slice(0, 30), "*"],
    ["eyJa.eyJb.c", "*"],
  ])("%j are shown as %j", (words, shown) => expect(maskCredentials(words)).toBe(shown.replaceAll("*", "[redacted]")));
});

it.each([
  "nothing",
  "keyJar.get",
  "a.b.c",
  "eyJhbGciOiJIUzI1NiJ9",
  "monkey_island",
  "key_path is missing",
  "curlew_turn has its sums",
  "the Basic plan",
  "a bearer token",
])("%j is left as it is", (words) => {
  expect(maskCredentials(words)).toBe(words);
});
