import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { troublesOfTheRoad } from "./choose/may-stand-in.js";
import { skips } from "./skips.cases.js";

const guide = readFileSync(new URL("../../docs/guide/roads.md", import.meta.url), "utf8");

it("shows every case that a road cannot pass, with its reason", () => {
  const rows = Object.entries(skips).flatMap(([road, reasons]: [string, Readonly<Record<string, string>>]) =>
    [...new Set(Object.values(reasons))].map((reason) => {
      const names = Object.keys(reasons).filter((name) => reasons[name] === reason);
      return `| \`${road}\` | ${names.join(", ")} | ${reason} |`;
    }),
  );
  expect(guide.split("| Road | Cannot | Why |")[1]?.trim().split("\n").slice(1)).toEqual(rows);
});

it("names the failures for which another backend may stand in", () => {
  const [, list = ""] = /troubles of the road itself: ([\s\S]*?)\. Never/.exec(guide) ?? [];
  expect([...list.matchAll(/`(\w+)`/g)].map(([, code]) => code)).toEqual([...troublesOfTheRoad].sort());
});
