import type { TurnResult } from "../../turn/collect.js";
import { GatewayError } from "../../turn/error.js";
import type { Turn } from "../../turn/turn.js";
import { serverSentEvents } from "../frame.js";
import type { ClientRequest, Front, ParsedRequest, ReplyHead } from "../front.js";
import { unsupported } from "../parts/request-problem.js";
import { sealSummary } from "./compaction.js";
import { writeError } from "./error.js";
import { compactConversation } from "./openapi.js";
import { parseRequest } from "./parse.js";
import { toResponsesUsage } from "./response.js";

const INSTRUCTION = `Write a summary of this conversation. Another assistant will go on from the summary alone and will not see the \
conversation, so leave out nothing that it needs:
- what the user wants, and what they have decided or ruled out, in their own words where the words matter;
- what was done and found out so far, with the names, paths, commands, figures and pieces of code that are still needed;
- what is under way, and what is left to do.
Write the summary itself and nothing else.`;

/** Asks for a summary in the same conversation, so that the conversation's checkpoint can be used. */
function parseCompaction(request: ClientRequest): ParsedRequest<undefined> {
  const { turn, isBackground } = parseRequest(request);
  if (isBackground) throw unsupported("background", "a conversation is compacted at once");
  const { format: _, maxTokens: __, ...rest } = turn;
  const asked: Turn = {
    ...rest,
    messages: [...turn.messages, { role: "user", content: [{ type: "text", text: INSTRUCTION }] }],
    toolChoice: { type: "none" },
  };
  return { turn: asked, wantsStream: false, request: undefined };
}

function writeCompaction({ text, usage, turnUsage }: TurnResult, { id, createdMs }: ReplyHead) {
  if (text.trim() === "") {
    throw new GatewayError("upstream_error", "The model gave no summary. Try again, or go on without one.");
  }
  return {
    id: `resp_${id}`,
    object: "response.compaction",
    created_at: Math.floor(createdMs / 1000),
    output: [{ id: `cmp_${id}_0`, type: "compaction", encrypted_content: sealSummary(text) }],
    usage: toResponsesUsage(usage, turnUsage),
  };
}

/** `POST /v1/responses/compact`: takes a conversation, and returns one item that replaces it. */
export const compact: Front<undefined> = {
  path: "/v1/responses/compact",
  dialect: "openai-responses",
  description: compactConversation,
  parse: parseCompaction,
  reply: (result, _, head) => writeCompaction(result, head),
  // A compaction never streams, so this is never called.
  framing: serverSentEvents,
  encoder: () => ({ push() {}, end() {} }),
  error: writeError,
};
