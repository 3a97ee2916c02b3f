import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type ExecClientMessage,
  ExecClientMessageSchema,
  type ExecServerMessage,
  McpToolResultContentItemSchema,
} from "../../gen/agent_v1_pb.js";
import type { SentResult } from "../../turn/blocks.js";
import { encodeExecAnswer } from "./encode.js";
import { nativeResults } from "./native-tools/index.js";

/** More does not fit where it is told how long a call took. */
const LONGEST_MS = 2 ** 31 - 1;

/** A call as the server asks it, with all that its answer takes. */
export interface AskedCall {
  readonly execId: number;
  readonly upstreamId: string;
  readonly name: string;
  readonly input: string;
  /** By a clock that never jumps. */
  readonly askedMs: number;
  readonly wants: WantedResult;
}

/** The form of the result that the server waits for: that of any tool of the client's, or that of the tool of Cursor's it stands for. */
export type WantedResult =
  | { readonly type: "mcp" }
  | { readonly type: "native"; readonly exec: ExecServerMessage; readonly said: ReadonlySet<string> };

/** The frames that tell the server what came of a call. */
export function encodeCallResult(asked: AskedCall, result: SentResult, nowMs: number): Buffer[] {
  const tookMs = Math.min(Math.round(nowMs - asked.askedMs), LONGEST_MS);
  return encodeExecAnswer(asked.execId, resultsOf(asked, result), tookMs);
}

function resultsOf({ name, wants }: AskedCall, result: SentResult): readonly ExecClientMessage["message"][] {
  switch (wants.type) {
    case "mcp":
      return [mcpResult(result)];
    case "native":
      return nativeResults(wants.exec, { name, said: wants.said }, result);
  }
}

function mcpResult({ content: blocks, isError }: SentResult): ExecClientMessage["message"] {
  const content = blocks.map((block) => create(McpToolResultContentItemSchema, { content: contentOf(block) }));
  return create(ExecClientMessageSchema, {
    message: { case: "mcpResult", value: { result: { case: "success", value: { content, isError } } } },
  }).message;
}

function contentOf(
  block: SentResult["content"][number],
): NonNullable<MessageInitShape<typeof McpToolResultContentItemSchema>["content"]> {
  switch (block.type) {
    case "text":
      return { case: "text", value: { text: block.text } };
    case "image":
      return { case: "image", value: { data: block.data, mimeType: block.mimeType } };
  }
}
