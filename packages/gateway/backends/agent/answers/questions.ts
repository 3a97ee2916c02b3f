import type { Message, MessageInitShape } from "@bufbuild/protobuf";
import type {
  AgentServerMessage,
  ExecServerMessage,
  InteractionQuery,
  InteractionResponseSchema,
  KvServerMessage,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { perPrompt } from "../../../turn/per-tool-list.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import type { BlobStore } from "../request/blobs.js";
import { type ClientMessage, encodeExecAnswer, encodeMessage, encodeWrittenAnswer, writeExecAnswer } from "./encode.js";
import { answerExec, type ExecContext } from "./execs.js";

export interface AnswerContext extends ExecContext {
  readonly blobs: BlobStore;
  /** Called for a missing blob. @throws GatewayError `blob_missing` when the turn should start anew */
  readonly onMissingBlob: () => void;
  readonly drift: Drift;
  readonly written: Map<string, Uint8Array>;
}

/** Their answers hold every tool and depend only on the system prompt and the tools, so they are encoded once. */
const standing: ReadonlySet<string> = new Set(["requestContextArgs", "mcpStateExecArgs"]);

/** The encoded answers to the standing questions, shared by all runs with this system prompt and these tools. */
export const writtenAnswers: (system: string, tools: readonly ToolDefinition[]) => Map<string, Uint8Array> = perPrompt(
  () => new Map(),
);

/** Answers every question, even one that this build does not know: a turn with an open question never ends. */
export function answerQuestion({ message }: AgentServerMessage, context: AnswerContext): Buffer[] {
  switch (message.case) {
    case "execServerMessage":
      return answerExecFrames(message.value, context);
    case "kvServerMessage":
      return [encodeMessage(answerKv(message.value, context))];
    case "interactionQuery":
      return [encodeMessage(answerQuery(message.value, context))];
    default:
      return []; // aborts of execs: ours are answered before an abort can come, or they wait for the client
  }
}

function answerExecFrames(exec: ExecServerMessage, context: AnswerContext): Buffer[] {
  const { id } = exec;
  const { case: asked } = exec.message;
  if (asked === undefined) countUnknown(context.drift, "exec", exec);
  const key = `${asked}${context.allowsWeb ? " with web tools" : ""}`;
  const written = context.written.get(key);
  if (written !== undefined) return encodeWrittenAnswer(id, written);
  const answer = answerExec(exec, context);
  if (answer === undefined) {
    const error = `This client does not support ${asked ?? "that request"}.`;
    const thrown = { case: "throw" as const, value: { id, error } };
    const frame = encodeMessage({ case: "execClientControlMessage", value: { message: thrown } });
    return [frame, ...encodeExecAnswer(id, [])];
  }
  if (asked === undefined || !standing.has(asked)) return encodeExecAnswer(id, [answer]);
  const first = writeExecAnswer(answer);
  context.written.set(key, first);
  return encodeWrittenAnswer(id, first);
}

function answerKv(asked: KvServerMessage, { blobs, drift, onMissingBlob }: AnswerContext): ClientMessage {
  const { id, message } = asked;
  switch (message.case) {
    case "getBlobArgs": {
      const blobData = blobs.get(message.value.blobId);
      if (blobData === undefined) onMissingBlob();
      const value = blobData === undefined ? {} : { blobData }; // a miss is an empty result (docs/protocol/wire.md, blobs)
      return { case: "kvClientMessage", value: { id, message: { case: "getBlobResult", value } } };
    }
    case "setBlobArgs": {
      const isTrue = blobs.accept(message.value.blobId, message.value.blobData);
      const value = isTrue ? {} : { error: { message: "The id is not the SHA-256 of the data." } };
      return { case: "kvClientMessage", value: { id, message: { case: "setBlobResult", value } } };
    }
    default:
      countUnknown(drift, "kv", asked);
      return { case: "kvClientMessage", value: { id } };
  }
}

type QueryAnswer = NonNullable<MessageInitShape<typeof InteractionResponseSchema>["result"]>;

const NO_USER = "Nobody is there to ask: decide by yourself.";
const rejected = { result: { case: "rejected" as const, value: { reason: NO_USER } } };
const noPlan = { case: "error" as const, value: { error: NO_USER } };

const declined: { readonly [Asked in InteractionQuery["query"]["case"] & string]: QueryAnswer } = {
  webSearchRequestQuery: { case: "webSearchRequestResponse", value: rejected },
  webFetchRequestQuery: { case: "webFetchRequestResponse", value: rejected },
  switchModeRequestQuery: { case: "switchModeRequestResponse", value: rejected },
  exaSearchRequestQuery: { case: "exaSearchRequestResponse", value: rejected },
  exaFetchRequestQuery: { case: "exaFetchRequestResponse", value: rejected },
  mcpAuthRequestQuery: { case: "mcpAuthRequestResponse", value: rejected },
  generateImageRequestQuery: { case: "generateImageRequestResponse", value: rejected },
  connectScmRequestQuery: { case: "connectScmRequestResponse", value: rejected },
  prManagementRequestQuery: { case: "prManagementResult", value: rejected },
  askQuestionInteractionQuery: { case: "askQuestionInteractionResponse", value: { result: rejected } },
  createPlanRequestQuery: { case: "createPlanRequestResponse", value: { result: { result: noPlan } } },
  replaceEnvArgs: {
    case: "replaceEnvResult",
    value: { result: { case: "failure", value: { errorMessage: NO_USER } } },
  },
  setupVmEnvironmentArgs: { case: "setupVmEnvironmentResult", value: {} },
};

const granted = { result: { case: "approved" as const, value: {} } };

/** Tools that run on Cursor's servers, which the settings can allow. */
const approved: { readonly [Asked in InteractionQuery["query"]["case"] & string]?: QueryAnswer } = {
  webSearchRequestQuery: { case: "webSearchRequestResponse", value: granted },
  webFetchRequestQuery: { case: "webFetchRequestResponse", value: granted },
  exaSearchRequestQuery: { case: "exaSearchRequestResponse", value: granted },
  exaFetchRequestQuery: { case: "exaFetchRequestResponse", value: granted },
};

/** A gateway has no user to ask, so it declines every question with a reason, unless the settings allow it. */
function answerQuery(asked: InteractionQuery, { drift, allowsWeb }: AnswerContext): ClientMessage {
  const { id, query } = asked;
  if (query.case === undefined) {
    countUnknown(drift, "query", asked);
    return { case: "interactionResponse", value: { id } };
  }
  const result = (allowsWeb && approved[query.case]) || declined[query.case];
  return { case: "interactionResponse", value: { id, result } };
}

type DriftKind = "message" | "update" | "exec" | "query" | "kv" | "usage";

/** Counts messages unknown to this build: by kind, and by kind and field number, such as `update 25`. */
export type Drift = Record<DriftKind, number> & Record<string, number>;

/** Bounds the memory if a server makes up numbers. */
const MAX_NAMES = 100;

export function noDrift(): Drift {
  return { message: 0, update: 0, exec: 0, query: 0, kv: 0, usage: 0 };
}

/** Counts a message of an unknown kind. The kind is one of the fields that the generated code could not place. */
export function countUnknown(drift: Drift, kind: DriftKind, { $unknown = [] }: Message): void {
  drift[kind]++;
  for (const { no } of $unknown) {
    const name = `${kind} ${no}`;
    const count = drift[name];
    if (count !== undefined) drift[name] = count + 1;
    else if (Object.keys(drift).length < MAX_NAMES) drift[name] = 1;
  }
}
