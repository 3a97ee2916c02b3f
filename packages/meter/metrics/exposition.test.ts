import { expect, it } from "vitest";
import { Exposition } from "./exposition.js";

it("writes help, type and samples of each family", () => {
  const out = new Exposition();
  out.counter("a_total", "What\nit \\ is.", [
    [{ one: 'a"b\\c\nd', two: "x" }, 1],
    [{ one: "b", two: "y" }, 2.5],
  ]);
  out.gauge("b_bytes", "More.", 1e21);
  expect(out.toString()).toBe(
    [
      "# HELP a_total What\\nit \\\\ is.",
      "# TYPE a_total counter",
      'a_total{one="a\\"b\\\\c\\nd",two="x"} 1',
      'a_total{one="b",two="y"} 2.5',
      "# HELP b_bytes More.",
      "# TYPE b_bytes gauge",
      "b_bytes 1e+21",
      "",
    ].join("\n"),
  );
});
