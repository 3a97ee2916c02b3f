import { create, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  type McpArgs,
  type McpToolDefinition,
  McpToolDefinitionSchema,
  McpToolsSchema,
} from "../../../gen/agent_v1_pb.js";
import { perToolList } from "../../../turn/per-tool-list.js";
import type { ToolDefinition } from "../../../turn/turn.js";

/**
 * The name of the invented server. It is short, because some of Cursor's clients drop tools whose name is too long together with
 * that of their server (docs/protocol/wire.md, tools).
 */
export const PROVIDER = "app";

/** The longest name of a server and a tool together that all of Cursor's clients take. */
export const MAX_FULL_NAME = 60;

/** The client's tools as the server takes them: as MCP tools of one invented server. */
export function encodeTools(tools: readonly ToolDefinition[]): McpToolDefinition[] {
  return tools.map(({ name, description, inputSchema }) =>
    create(McpToolDefinitionSchema, {
      name: `${PROVIDER}-${name}`,
      description,
      // The field is a `google.protobuf.Value` that holds a struct. The server refuses a bare struct (docs/protocol/wire.md,
      // tools).
      inputSchema: fromJson(ValueSchema, inputSchema as JsonObject),
      providerIdentifier: PROVIDER,
      toolName: name,
    }),
  );
}

/** The bytes of `McpTools`, as every run request contains them. */
export const writeTools: (tools: readonly ToolDefinition[]) => Uint8Array = perToolList((tools) =>
  toBinary(McpToolsSchema, create(McpToolsSchema, { mcpTools: encodeTools(tools) })),
);

/** Finds the offered tool that a call means. Models and servers differ in which field they put its name into. */
export function calledTool(args: McpArgs, tools: readonly ToolDefinition[]): string | undefined {
  const spellings = [args.toolName, args.name, withoutProvider(args.name), withoutProvider(args.toolName)];
  return spellings.find((spelling) => tools.some(({ name }) => name === spelling));
}

function withoutProvider(name: string): string {
  return name.startsWith(`${PROVIDER}-`) ? name.slice(PROVIDER.length + 1) : name;
}
