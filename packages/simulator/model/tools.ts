import { type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { type McpToolDefinition, McpToolDefinitionSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { blobId, blobKey } from "../server/blob-id.js";
import { type PromptPiece, tokensOf } from "./tokens.js";

/** A tool of the client, as the model sees it. */
export interface Tool {
  name: string;
  definition: McpToolDefinition;
  /** Empty and `undefined` where they are withheld from the model. */
  description: string;
  schema: JsonValue | undefined;
}

/** The name of all client tools in the tool headers (docs/protocol/wire.md, tools). */
const CLIENT_TOOLS = "mcp_tool_call";

/**
 * All tools that the client offers. Clients list them in different fields (run request, user action, request context), so every
 * list counts and the first definition of a name wins.
 */
export function collectTools(
  lists: readonly (readonly McpToolDefinition[])[],
  headers: Record<string, string>,
): Tool[] {
  const allowed = headers["x-cursor-agent-allowed-tools"];
  const excluded = headers["x-cursor-agent-exclude-tools"];
  if (allowed !== undefined && !names(allowed).includes(CLIENT_TOOLS)) return [];
  if (excluded !== undefined && names(excluded).includes(CLIENT_TOOLS)) return [];
  const tools = new Map<string, Tool>();
  for (const definition of lists.flat()) {
    const name = definition.toolName || definition.name;
    const key = `${definition.providerIdentifier}\n${name}`;
    if (name === "" || tools.has(key)) continue;
    tools.set(key, { name, definition, description: definition.description, schema: schemaOf(definition) });
  }
  return [...tools.values()];
}

/** A tool reduced to its name, as some models get the client's tools (docs/protocol/live-behaviour.md). */
export function withheld(tool: Tool): Tool {
  return { ...tool, description: "", schema: undefined };
}

/** Finds a tool by its bare name, its provider's full name, or its name in histories; exact spelling first. */
export function findTool(tools: readonly Tool[], name: string): Tool | undefined {
  return (
    tools.find((tool) => spellings(tool).includes(name)) ??
    tools.find((tool) => spellings(tool).some((spelling) => spelling.toLowerCase() === name.toLowerCase()))
  );
}

function spellings({ name, definition }: Tool): string[] {
  return [name, definition.name, `mcp_${definition.providerIdentifier}_${name}`];
}

function names(list: string): string[] {
  return list.split(",").map((name) => name.trim());
}

function schemaOf({ inputSchema, inputSchemaJson }: McpToolDefinition): JsonValue {
  try {
    if (inputSchema !== undefined) return toJson(ValueSchema, inputSchema);
    return inputSchemaJson === undefined ? {} : (JSON.parse(inputSchemaJson) as JsonValue);
  } catch {
    return {}; // an empty Value or broken JSON describes nothing
  }
}

/** The head of the prompt: the definitions, and Cursor's own prompt of this many tokens. */
export function toolsPiece(tools: readonly Tool[], floorTokens = 0): PromptPiece {
  const bytes = Buffer.concat(tools.map(({ definition }) => toBinary(McpToolDefinitionSchema, definition)));
  return { key: `${floorTokens} ${blobKey(blobId(bytes))}`, tokens: floorTokens + tokensOf(bytes.byteLength) };
}
