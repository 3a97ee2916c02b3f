import { expect, it } from "vitest";
import { splitCharacters } from "./split-characters.js";

it("cuts characters of several bytes behind their first", () => {
  const pieces = splitCharacters("aé😀b");
  expect(pieces.map((piece) => Buffer.from(piece).toString("hex"))).toEqual(["61c3", "a9f0", "9f988062"]);
});

it("leaves other text whole", () => {
  expect(splitCharacters("ab\n")).toEqual([Buffer.from("ab\n")]);
});
