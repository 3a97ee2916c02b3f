import { expect, it } from "vitest";
import { detectType } from "./detect-type.js";

it.each([
  ["image/png", "89504e470d0a1a0a0000"],
  ["image/jpeg", "ffd8ffe000"],
  ["image/gif", "474946383961"],
  ["image/gif", "474946383761"],
  ["image/webp", "52494646ffffffff574542505650"],
  ["application/pdf", "255044462d312e37"],
  [undefined, "89504e47"],
  [undefined, "52494646ffffffff57415645"],
  [undefined, "3c737667"],
  [undefined, ""],
])("is %s by its first bytes: %s", (type, hex) => {
  expect(detectType(Buffer.from(hex, "hex"))).toBe(type);
});
