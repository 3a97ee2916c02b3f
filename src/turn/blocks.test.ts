import { expect, it } from "vitest";
import { joinText } from "./blocks.js";

it("joins the text of blocks and skips all others", () => {
  expect(
    joinText([
      { type: "text", text: "a" },
      { type: "thinking", text: "not me" },
      { type: "image" },
      { type: "text" },
      { type: "text", text: "b" },
    ]),
  ).toBe("ab");
  expect(joinText([])).toBe("");
});
