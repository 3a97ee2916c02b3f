import type { ExecClientMessage, ExecServerMessage } from "../../../gen/agent_v1_pb.js";
import type { SentBlock, SentResult } from "../../../turn/blocks.js";
import type { Carriage } from "../../backend.js";
import { encodeExecAnswer } from "../answers/encode.js";
import { carriesWords, execResult, nativeResults, withOutcome } from "../native-tools/index.js";

/** The largest value of the wire's field for a call's duration. */
const LONGEST_MS = 2 ** 31 - 1;

/** A call as the server asks for it, with everything that its answer needs. */
export interface AskedCall {
  readonly execId: number;
  readonly upstreamId: string;
  readonly name: string;
  readonly input: string;
  /** Measured by a monotonic clock. */
  readonly askedMs: number;
  readonly wants: WantedResult;
}

/**
 * The result type that the server waits for: that of any client tool, or that of the built-in tool which the client's tool
 * replaces.
 */
export type WantedResult =
  | { readonly type: "mcp" }
  | { readonly type: "native"; readonly exec: ExecServerMessage; readonly said: ReadonlySet<string> };

export function carriageOf(wants: WantedResult): Carriage {
  switch (wants.type) {
    case "mcp":
      return "anything";
    case "native":
      return carriesWords(wants.exec) ? "words" : "nothing";
  }
}

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

function mcpResult({ content: blocks, isError, words }: SentResult): ExecClientMessage["message"] {
  const said = words === undefined ? blocks : [...blocks, { type: "text" as const, text: words }];
  const content = said.map((block) => ({ content: contentOf(block) }));
  return execResult(withOutcome("mcpResult", { case: "success", value: { content, isError } }));
}

function contentOf(block: SentBlock) {
  switch (block.type) {
    case "text":
      return { case: "text" as const, value: { text: block.text } };
    case "image":
      return { case: "image" as const, value: { data: block.data, mimeType: block.mimeType } };
  }
}
