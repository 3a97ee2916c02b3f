import { z } from "zod";
import type { SettingsTable } from "./setting.js";
import { settingsTable } from "./table.js";

/** What curlew.json may hold, for editors that check and complete it. Written into the package by the build. */
export function settingsJsonSchema(table: SettingsTable = settingsTable): object {
  const properties = Object.entries(table).flatMap(([name, { type, about, default: value, only }]) => {
    if (only === "environment") return [];
    // The type before transforms: the file holds JSON values.
    const { $schema: _, ...schema } = z.toJSONSchema(type(), { io: "input", unrepresentable: "any" });
    return [[name, { description: about, ...(value !== undefined && { default: value }), ...schema }]];
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of Curlew (curlew.json)",
    type: "object",
    properties: { $schema: { type: "string" }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  };
}
