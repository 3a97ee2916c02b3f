import { expect, it } from "vitest";
import { colorsFor } from "../line/colors.js";
import { describeProbe } from "./describe.js";

it("has a word of its own for everything that a probe can find, so that nobody needs the colours", () => {
  const colors = colorsFor({ isTTY: false });
  const words = (["ok", "warn", "fail", "skipped"] as const).map((status) =>
    describeProbe({ name: "text", claim: "A turn is answered", status, note: "" }, colors).split(/ {2,}| text/, 1),
  );
  expect(words).toEqual([["as expected"], ["differs"], ["failed"], ["not shown"]]);
});
