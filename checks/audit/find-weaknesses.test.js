import { expect, it } from "vitest";
import { findWeaknesses } from "./find-weaknesses.js";

const weak = (name, via, nodes = [`node_modules/${name}`]) => ({ name, severity: "high", range: "<2.0.0", via, nodes });
const lock = {
  packages: {
    "": {},
    "node_modules/bundled": { dev: true },
    "node_modules/native": { optional: true },
    "node_modules/test-library": { dev: true },
    "node_modules/test-library/node_modules/bundled": { dev: true },
  },
};
const find = (...found) =>
  findWeaknesses({ vulnerabilities: Object.fromEntries(found.map((each) => [each.name, each])) }, ["bundled"], lock);

it("reports what is bundled and what is installed beside it", () => {
  expect(find(weak("bundled", [{ title: "Reads too far" }]), weak("native", ["addon"]))).toEqual([
    "bundled <2.0.0 (high): Reads too far",
    "native <2.0.0 (high): by way of addon",
  ]);
});

it("leaves out what only tests use, also another copy of a bundled library", () => {
  const copy = weak("bundled", [{ title: "Reads too far" }], ["node_modules/test-library/node_modules/bundled"]);
  expect(find(weak("test-library", ["bundled"]), copy)).toEqual([]);
});
