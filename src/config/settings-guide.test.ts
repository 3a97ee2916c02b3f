import { it } from "vitest";
import { expectTable } from "../../testing/table-in-page.js";
import { flagName, schema, settingNames } from "./schema.js";

const page = new URL("../../docs/guide/settings.md", import.meta.url);

it("lists every setting as the schema has it, in the same order", async () => {
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
  await expectTable(page, "| In `curlew.json` | Flag | Environment | Default | Meaning |", rows);
});
