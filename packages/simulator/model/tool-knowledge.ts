import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Tool } from "./tools.js";

/** What the model can say of a tool: its description or, where that is withheld, the lines of its system prompts that name it. */
export function describeTool({ name, description }: Tool, given: readonly string[]): string {
  const known = description === "" ? linesAbout(name, given).join(" ") : description;
  return known === "" ? `I have no description of ${name}.` : `The description of ${name}: ${known}`;
}

/** The schema of a tool's arguments or, where it is withheld, one by the signature in the system prompts: `name(key: type)`. */
export function knownSchema({ name, schema }: Tool, given: readonly string[]): JsonValue {
  return schema ?? schemaBySignature(name, linesAbout(name, given)) ?? {};
}

function linesAbout(name: string, given: readonly string[]): string[] {
  const lines = given.flatMap((text) => text.split("\n"));
  return lines.filter((line) => line.split(/[^\w.-]+/).includes(name)).map((line) => line.trim());
}

function schemaBySignature(name: string, lines: readonly string[]): JsonObject | undefined {
  for (const line of lines) {
    const start = line.indexOf(`${name}(`);
    const end = line.indexOf(")", start);
    if (start === -1 || end === -1) continue;
    const properties: JsonObject = {};
    const required: string[] = [];
    for (const parameter of line.slice(start + name.length + 1, end).split(",")) {
      const [key = "", type = ""] = parameter.split(":").map((part) => part.trim());
      const bare = key.replace(/\?$/, "");
      if (bare === "") continue;
      properties[bare] = schemaOfType(type);
      if (bare === key) required.push(bare);
    }
    return { type: "object", properties, required };
  }
  return undefined;
}

/** The first alternative of a type as signatures write it: a word, a quoted value, or either with brackets for a list. */
function schemaOfType(type: string): JsonObject {
  const first = type.split("|")[0]?.trim() ?? "";
  if (first.endsWith("[]")) return { type: "array", items: schemaOfType(first.slice(0, -2)) };
  const quoted = /^["'](.*)["']$/.exec(first)?.[1];
  if (quoted !== undefined) return { const: quoted };
  return ["number", "integer", "boolean", "object", "array"].includes(first) ? { type: first } : { type: "string" };
}
