import { field, isObject } from "../../../turn/read-json.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { type ConditionalName, localNamespaces, type RoleEntry } from "./equivalents.js";

/** The client's tools that can play the role, best first: in the table's order, with namespaced tools last. */
export function findTools(tools: readonly ToolDefinition[], role: RoleEntry): readonly ToolDefinition[] {
  const ranked = tools.flatMap((tool) => {
    const plain = rankOf(tool, tool.name, role);
    if (plain !== undefined) return [{ tool, rank: plain }];
    const namespace = localNamespaces.find((prefix) => tool.name.toLowerCase().startsWith(prefix));
    if (namespace === undefined) return [];
    const rank = rankOf(tool, tool.name.slice(namespace.length), role);
    return rank === undefined ? [] : [{ tool, rank: rank + role.names.length }];
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ tool }) => tool);
}

function rankOf(tool: ToolDefinition, name: string, role: RoleEntry): number | undefined {
  const compact = compactToolName(name);
  const rank = role.names.findIndex((entry) => {
    const condition = typeof entry === "string" ? { name: entry } : entry;
    return compactToolName(condition.name) === compact && holds(condition, tool);
  });
  return rank === -1 ? undefined : rank;
}

/** `ReadFileTool` and `BashToolCall` are `read_file` and `bash`. */
function compactToolName(name: string): string {
  return compactName(name).replace(/(?<=.)tool(?:call)?$/, "");
}

function holds({ has, says, neverSays }: ConditionalName, { description, inputSchema }: ToolDefinition): boolean {
  const properties = isObject(inputSchema.properties) ? inputSchema.properties : {};
  if (has !== undefined && !Object.keys(properties).some((name) => compactName(name) === compactName(has)))
    return false;
  if (neverSays?.test(description) === true) return false;
  if (says === undefined) return true;
  const aboutParameters = Object.values(properties).map((schema) => field(schema, "description"));
  // Only the first sentence says what a tool is. Further down, descriptions warn of what it is not.
  const [firstSentence = ""] = description.trim().split(/(?<=[.!?])\s|\n/, 1);
  return [firstSentence, ...aboutParameters].some((text) => typeof text === "string" && says.test(text));
}

/** `file_path`, `filePath`, `FilePath` and `-i`, `i` are the same word in different spellings. */
export function compactName(name: string): string {
  return name.replace(/[^a-z0-9]/gi, "").toLowerCase();
}
