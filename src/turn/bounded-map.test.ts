import { expect, it } from "vitest";
import { BoundedMap } from "./bounded-map.js";

it("drops what was set first, and takes what is set again for new", () => {
  const map = new BoundedMap<string, number>(2).set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
