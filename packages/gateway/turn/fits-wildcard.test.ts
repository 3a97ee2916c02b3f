import { expect, it } from "vitest";
import { fitsWildcard } from "./fits-wildcard.js";

it.each([
  ["gpt-5", "gpt-5", true],
  ["gpt-5", "gpt", false],
  ["gpt-5", "gpt*", true],
  ["gpt-5", "*5", true],
  ["gpt-5", "*", true],
  ["", "*", true],
  ["gpt-5-mini", "gpt*mini", true],
  ["gpt-5-mini", "*-*-*", true],
  ["gpt-5", "*-*-*", false],
  ["aba", "ab*ba", false],
  ["abba", "ab*ba", true],
  ["a.c", "a?c", false],
  ["axbxc", "a*b*b*c", false],
  ["axbxbc", "a*b*b*c", true],
  ["line\nend", "line*end", true],
])("%j by %j: %s", (text, pattern, fits) => expect(fitsWildcard(text, pattern)).toBe(fits));
