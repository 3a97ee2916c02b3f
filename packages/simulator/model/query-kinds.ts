import { type DescMessage, fromJson, type JsonObject } from "@bufbuild/protobuf";
import {
  type InteractionQuery,
  InteractionQuerySchema,
  InteractionResponseSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";

/** One question that the server can ask the user. */
export interface QueryKind {
  /** web_search, ask_question, ... */
  name: string;
  queryCase: string;
  query: DescMessage;
  responseCase: string;
}

const kinds: readonly QueryKind[] = InteractionQuerySchema.fields.flatMap((field) => {
  const response = InteractionResponseSchema.fields.find(({ number }) => number === field.number);
  if (field.fieldKind !== "message" || field.oneof === undefined || response === undefined) return [];
  const name = field.name.replace(/_(?:request_query|interaction_query|args)$/, "");
  return [{ name, queryCase: field.localName, query: field.message, responseCase: response.localName }];
});

export function findQueryKind(name: string): QueryKind | undefined {
  return kinds.find((kind) => kind.name === name.toLowerCase());
}

/** The query with these arguments, given as protobuf JSON. */
export function queryRequest(kind: QueryKind, args: JsonObject, toolCallId: string): InteractionQuery {
  const json = { [kind.queryCase]: queryJson(kind, args, toolCallId) };
  return fromJson(InteractionQuerySchema, json, { ignoreUnknownFields: true });
}

/** Most queries wrap their content in `args`; a directive need not. */
function queryJson({ query }: QueryKind, args: JsonObject, toolCallId: string): JsonObject {
  const inner = query.fields.find((field) => field.name === "args");
  if (inner === undefined) return args;
  const wrapped: JsonObject = "args" in args ? { ...args } : { args };
  if (query.fields.some(({ name }) => name === "tool_call_id")) wrapped.toolCallId ??= toolCallId;
  const innerArgs = wrapped.args;
  const hasId = inner.message?.fields.some(({ name }) => name === "tool_call_id") ?? false;
  if (hasId && typeof innerArgs === "object" && innerArgs !== null && !Array.isArray(innerArgs)) {
    wrapped.args = { toolCallId, ...innerArgs };
  }
  return wrapped;
}
