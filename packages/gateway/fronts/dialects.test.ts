import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { dialectNames } from "./dialect-names.js";
import { dialects } from "./dialects.js";

it("are those that have a name", () => {
  const spoken = dialects.flatMap(({ fronts }) => fronts.map(({ dialect }) => dialect));
  expect([...new Set(spoken)].toSorted()).toEqual(Object.keys(dialectNames).toSorted());
});

it.each(Object.keys(dialectNames))("%s runs the cases that all dialects share", (name) => {
  const test = readFileSync(new URL(`${name}/index.test.ts`, import.meta.url), "utf8");
  expect(test).toMatch(/^ *describeFront\(/m);
});
