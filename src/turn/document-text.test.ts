import { expect, it } from "vitest";
import { documentText } from "./document-text.js";

it.each([
  ["a.pdf", '\n<document name="a.pdf">\nhi\n</document>\n'],
  [undefined, "\n<document>\nhi\n</document>\n"],
  ['a"><b>\n.pdf', '\n<document name="a b .pdf">\nhi\n</document>\n'],
])("names the document in one tag that nothing in the name breaks out of: %j", (name, text) => {
  expect(documentText("hi", name)).toEqual({ type: "text", text });
});
