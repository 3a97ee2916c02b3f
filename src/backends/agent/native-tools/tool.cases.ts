import type { ExecServerMessage } from "../../../gen/agent_v1_pb.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { mapNativeExec } from "./map-native-exec.js";

export function tool(
  name: string,
  properties: Record<string, unknown>,
  required: readonly string[],
  description = `The tool ${name}.`,
): ToolDefinition {
  return { name, description, inputSchema: { type: "object", properties, required, additionalProperties: false } };
}

/** The input of a tool with these parameters for a built-in tool, or undefined when it does not qualify. */
export function inputFor(
  exec: ExecServerMessage,
  name: string,
  properties: Record<string, unknown>,
  required: readonly string[] = Object.keys(properties),
): unknown {
  const call = mapNativeExec(exec, [tool(name, properties, required)]);
  return call === undefined ? undefined : JSON.parse(call.input);
}
