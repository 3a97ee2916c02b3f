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

/** The provider under which Cursor's own SDK offers the tools of its caller. */
export const PROVIDER = "custom-user-tools";

/** The client's tools as the server wants them: MCP tools of one made-up server. */
export function encodeTools(tools: readonly ToolDefinition[]): McpToolDefinition[] {
  return tools.map(({ name, description, inputSchema }) =>
    create(McpToolDefinitionSchema, {
      name: `${PROVIDER}-${name}`,
      description,
      // A Value that holds a struct: a bare struct is refused.
      inputSchema: fromJson(ValueSchema, inputSchema as JsonObject),
      providerIdentifier: PROVIDER,
      toolName: name,
    }),
  );
}

/** The same as the bytes of `McpTools`, as every run request holds them. */
export const writeTools: (tools: readonly ToolDefinition[]) => Uint8Array = perToolList((tools) =>
  toBinary(McpToolsSchema, create(McpToolsSchema, { mcpTools: encodeTools(tools) })),
);

/** Which of the offered tools a call means; models and servers differ in what they put into which field. */
export function calledTool(args: McpArgs, tools: readonly ToolDefinition[]): string | undefined {
  const spellings = [args.toolName, args.name, withoutProvider(args.name), withoutProvider(args.toolName)];
  return spellings.find((spelling) => tools.some(({ name }) => name === spelling));
}

function withoutProvider(name: string): string {
  return name.startsWith(`${PROVIDER}-`) ? name.slice(PROVIDER.length + 1) : name;
}
