import type { ExecServerMessage } from "../../../gen/agent_v1_pb.js";
import type { SentResult } from "../../../turn/blocks.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { readAnswer } from "./client-answer.js";
import { type RoleEntry, roles } from "./equivalents.js";
import { fillInput } from "./fill-input.js";
import { findTools } from "./find-tools.js";
import type { ExecResult } from "./native-request.js";
import { readExec } from "./read-exec.js";

/** One of Cursor's built-in tools, as a call of the client's tool that does the same. */
export interface MappedCall {
  /** A tool that the client offered, by its own name. */
  readonly name: string;
  /** Arguments that fit its schema, as JSON text. */
  readonly input: string;
  /** What of the request the tool could be told. */
  readonly said: ReadonlySet<string>;
}

/** Undefined: no tool of the client can do it. */
export function mapNativeExec(exec: ExecServerMessage, tools: readonly ToolDefinition[]): MappedCall | undefined {
  const request = readExec(exec);
  if (request === undefined) return undefined;
  const role: RoleEntry = roles[request.role];
  for (const tool of findTools(tools, role)) {
    for (const wish of request.wishes) {
      const filled = fillInput(tool, role, wish);
      if (filled === undefined) continue;
      return { name: tool.name, input: JSON.stringify(filled.input), said: filled.said };
    }
  }
  return undefined;
}

/** The client's result as the typed answers that the server waits for, in order (shell_stream: start, stdout, exit). */
export function nativeResults(
  exec: ExecServerMessage,
  { name, said }: Pick<MappedCall, "name" | "said">,
  result: SentResult,
): readonly ExecResult[] {
  return readExec(exec)?.toResults(readAnswer(result, name), said) ?? [];
}
