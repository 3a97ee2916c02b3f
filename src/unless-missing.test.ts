import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { unlessMissing } from "./unless-missing.js";

const here = fileURLToPath(import.meta.url);

it.each([
  ["a file that is not there", () => readFileSync(`${here}.gone`)],
  ["a folder that is not there", () => readdirSync(`${here}.gone`)],
  ["a file below a file", () => readFileSync(`${here}/gone`)],
])("gives nothing for %s", (_, read) => expect(unlessMissing<unknown>(read)).toBeUndefined());

it("gives what is there, and fails where it cannot be read", () => {
  expect(unlessMissing(() => readFileSync(here, "utf8"))).toContain("unlessMissing");
  expect(() => unlessMissing(() => readFileSync(dirname(here), "utf8"))).toThrow("EISDIR");
});
