import { expect, it } from "vitest";
import { colorsFor, createColors } from "./print.js";

const RED = "\u001B[31mstop\u001B[39m";

it.each([
  ["a terminal", { isTTY: true }, { TERM: "xterm" }, RED],
  ["a terminal without a name", { isTTY: true }, {}, RED],
  ["a pipe", {}, { TERM: "xterm" }, "stop"],
  ["a terminal that has none", { isTTY: true }, { TERM: "dumb" }, "stop"],
  ["NO_COLOR", { isTTY: true }, { NO_COLOR: "1" }, "stop"],
  ["NO_COLOR that is empty", { isTTY: true }, { NO_COLOR: "" }, RED],
  ["FORCE_COLOR in a pipe", {}, { FORCE_COLOR: "1" }, RED],
  ["FORCE_COLOR under TERM=dumb", {}, { FORCE_COLOR: "1", TERM: "dumb" }, RED],
  ["FORCE_COLOR=0", { isTTY: true }, { FORCE_COLOR: "0" }, "stop"],
  ["NO_COLOR against FORCE_COLOR", {}, { NO_COLOR: "1", FORCE_COLOR: "1" }, "stop"],
])("has the colours for %s", (_, stream, env, shown) => {
  expect(colorsFor(stream, env).red("stop")).toBe(shown);
});

it("ends an inner style without ending the outer one", () => {
  const { bold, red } = createColors(true);
  expect(bold(`a${red("b")}c`)).toBe("\u001B[1ma\u001B[31mb\u001B[39mc\u001B[22m");
});
