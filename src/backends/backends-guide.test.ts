import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { registeredBackends } from "./registry.js";
import { skips } from "./skips.cases.js";

const guide = readFileSync(new URL("../../docs/guide/backends.md", import.meta.url), "utf8");

it.each(registeredBackends)("tells of %s, which is held to the shared cases", (name) => {
  expect(guide).toMatch(new RegExp(`^\\| \`${name}\``, "m"));
  expect(Object.keys(skips).map((each) => each.split("/", 1)[0])).toContain(name);
});
