import { validateHeaderValue } from "node:http";
import { expect, it } from "vitest";
import { toHeaderValue } from "./start-reply.js";

it.each([
  ["plain text", "plain text"],
  ["split\r\nx-evil: 1", "split??x-evil: 1"],
  ["Grüße\0", "Gr??e?"],
])("makes %j fit for a header", (text, expected) => {
  expect(toHeaderValue(text)).toBe(expected);
  expect(() => validateHeaderValue("x", toHeaderValue(text))).not.toThrow();
});

it("does not let a header grow without end", () => {
  expect(toHeaderValue("x".repeat(500), 20)).toBe(`${"x".repeat(17)}...`);
  expect(toHeaderValue("x".repeat(20), 20)).toBe("x".repeat(20));
});
