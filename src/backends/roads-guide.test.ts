import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { expectTable } from "../../testing/table-in-page.js";
import { troublesOfTheRoad } from "./choose/may-stand-in.js";
import { registeredBackends } from "./registry.js";
import { skips } from "./skips.cases.js";

const page = new URL("../../docs/guide/backends.md", import.meta.url);
const guide = readFileSync(page, "utf8");

it("shows every case that a road cannot pass, with its reason", async () => {
  const rows = Object.entries(skips).flatMap(([road, each]) =>
    each.map(({ cases, reason }) => `| \`${road}\` | ${cases.join(", ")} | ${reason} |`),
  );
  await expectTable(page, "| Road | Cannot | Why |", rows);
});

it.each(registeredBackends)("tells of %s, which is held to the shared cases", (name) => {
  expect(guide).toMatch(new RegExp(`^\\| \`${name}\``, "m"));
  expect(Object.keys(skips).map((road) => road.split("/", 1)[0])).toContain(name);
});

it("names the failures for which another backend may stand in", () => {
  const [, list = ""] = /troubles of the road itself: ([\s\S]*?)\. Never/.exec(guide) ?? [];
  expect([...list.matchAll(/`(\w+)`/g)].map(([, code]) => code)).toEqual([...troublesOfTheRoad].sort());
});
