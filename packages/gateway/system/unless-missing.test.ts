import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { textUnlessMissing, unlessMissing } from "./unless-missing.js";

const here = fileURLToPath(import.meta.url);

it.each([
  ["a missing file", () => readFileSync(`${here}.gone`)],
  ["a missing folder", () => readdirSync(`${here}.gone`)],
  ["a file below a file", () => readFileSync(`${here}/gone`)],
])("returns undefined for %s", (_, read) => expect(unlessMissing<unknown>(read)).toBeUndefined());

it("returns the result, and throws if it cannot be read", () => {
  expect(unlessMissing(() => readFileSync(here, "utf8"))).toContain("unlessMissing");
  expect(() => unlessMissing(() => readFileSync(dirname(here), "utf8"))).toThrow("EISDIR");
});

it("reads a text, and does not take a folder or a dangling link for a missing file", () => {
  const folder = temporaryFolder();
  const link = join(folder, "link");
  symlinkSync(join(folder, "gone"), link);
  expect(textUnlessMissing(here)).toContain("textUnlessMissing");
  for (const path of [join(folder, "gone"), join(here, "gone")]) expect(textUnlessMissing(path)).toBeUndefined();
  expect(() => textUnlessMissing(folder)).toThrow(`${folder} cannot be read: EISDIR`);
  expect(() => textUnlessMissing(link)).toThrow(`${link} cannot be read: ENOENT`);
});
