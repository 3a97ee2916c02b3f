import type { ExecServerMessage } from "@curlew/wire/gen/agent_v1_pb.js";
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

/**
 * A tool with these parameters, such as `path! limit:number`: a text where no type is named, and required with a `!`. Some have a
 * description, or a schema of their own.
 */
export function offered(
  name: string,
  parameters: string,
  special: Readonly<Record<string, string | object>> = {},
  ...description: string[]
) {
  const required: string[] = [];
  const entries = parameters.split(" ").map((word) => {
    const [, parameter = "", mark, type = "string"] = /^([\w-]+)(!?)(?::(\w+))?$/.exec(word) ?? [];
    if (mark === "!") required.push(parameter);
    const own = special[parameter];
    return [parameter, typeof own === "object" ? own : { type, ...(own !== undefined && { description: own }) }];
  });
  return tool(name, Object.fromEntries(entries), required, ...description);
}

/** The input of a tool with these parameters for a built-in tool, or undefined when it does not qualify. */
export function inputFor(exec: ExecServerMessage, ...tool: Parameters<typeof offered>): unknown {
  const call = mapNativeExec(exec, [offered(...tool)]);
  return call === undefined ? undefined : JSON.parse(call.input);
}
