import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { flagName, schema, settingNames } from "./schema.js";

const guide = readFileSync(new URL("../../docs/guide/settings.md", import.meta.url), "utf8");

it("lists every setting as the schema has it, in the same order", () => {
  const rows = settingNames.map((name) => {
    const { env, default: fallback, about, isSecret, isFileOnly } = schema[name];
    const isEmpty = fallback === undefined || (typeof fallback === "object" && Object.keys(fallback).length === 0);
    const cells = [
      isSecret ? "" : `\`${name}\``,
      isSecret || isFileOnly ? "" : `\`--${flagName(name)}\``,
      env.map((variable) => `\`${variable}\``).join(", "),
      isEmpty ? "" : `\`${String(fallback)}\``,
      about,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const table = guide.split("## All settings")[1]?.split("\n\n")[1]?.split("\n").slice(2);
  expect(table).toEqual(rows);
});
