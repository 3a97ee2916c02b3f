import type {
  AgentServerMessage,
  ExecServerMessage,
  InteractionQuery,
  KvServerMessage,
  RequestContext,
} from "../../gen/agent_v1_pb.js";
import type { BlobStore } from "./blobs.js";
import type { Drift } from "./drift.js";
import { type ClientMessage, encodeMessage } from "./encode.js";
import { answerExec } from "./execs.js";
import { answerQuery } from "./queries.js";

const REFUSAL = "This tool is not available in this session. Answer in text.";
const NOBODY_THERE = "Nobody is there to ask: decide by yourself.";

export interface AnswerContext {
  readonly blobs: BlobStore;
  readonly requestContext: RequestContext;
  readonly drift: Drift;
}

/**
 * The frames that answer what the server asks, undefined when it asked nothing. Every question gets an answer, also one
 * that this build has never heard of: a turn with an open question never ends.
 */
export function answerQuestion({ message }: AgentServerMessage, context: AnswerContext): Buffer[] | undefined {
  switch (message.case) {
    case "execServerMessage":
      return answerExecFrames(message.value, context).map(encodeMessage);
    case "kvServerMessage":
      return [encodeMessage(answerKv(message.value, context))];
    case "interactionQuery":
      return [encodeMessage(answerQueryMessage(message.value, context))];
    default:
      return undefined;
  }
}

function answerExecFrames(exec: ExecServerMessage, { requestContext, drift }: AnswerContext): ClientMessage[] {
  const { id } = exec;
  if (exec.message.case === undefined) drift.count("exec");
  const answer = answerExec(exec, requestContext, REFUSAL);
  const first: ClientMessage =
    answer.type === "throw"
      ? { case: "execClientControlMessage", value: { message: { case: "throw", value: { id, error: answer.error } } } }
      : { case: "execClientMessage", value: { id, message: answer.message } };
  // Every answer is closed; streamed ones hang without it.
  return [first, { case: "execClientControlMessage", value: { message: { case: "streamClose", value: { id } } } }];
}

function answerKv({ id, message }: KvServerMessage, { blobs, drift }: AnswerContext): ClientMessage {
  switch (message.case) {
    case "getBlobArgs": {
      const blobData = blobs.get(message.value.blobId);
      const value = blobData === undefined ? {} : { blobData }; // a miss is an empty result
      return { case: "kvClientMessage", value: { id, message: { case: "getBlobResult", value } } };
    }
    case "setBlobArgs": {
      const isTrue = blobs.accept(message.value.blobId, message.value.blobData);
      const value = isTrue ? {} : { error: { message: "The id is not the SHA-256 of the data." } };
      return { case: "kvClientMessage", value: { id, message: { case: "setBlobResult", value } } };
    }
    default:
      drift.count("kv");
      return { case: "kvClientMessage", value: { id } };
  }
}

function answerQueryMessage(query: InteractionQuery, { drift }: AnswerContext): ClientMessage {
  if (query.query.case === undefined) drift.count("query");
  return { case: "interactionResponse", value: answerQuery(query, NOBODY_THERE) };
}
