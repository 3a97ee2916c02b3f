import { type DescField, type DescMessage, fromJson, type JsonObject } from "@bufbuild/protobuf";
import {
  ExecClientMessageSchema,
  type ExecServerMessage,
  ExecServerMessageSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";

/** One request that the server can send to the client. */
export interface ExecKind {
  /** The name of the exec case without `_args`: shell, read, pi_bash, ... */
  name: string;
  argsCase: string;
  args: DescMessage;
  /** The case that an answer must have. */
  resultCase: string;
}

/** Results have the number of their arguments, except these (docs/protocol/wire.md, execs). */
const resultNumbers: Record<number, number> = { 45: 46, 46: 47, 47: 48, 48: 49, 49: 50, 50: 51, 51: 52, 52: 55 };

export const execKinds: readonly ExecKind[] = oneofFields(ExecServerMessageSchema).flatMap((field) => {
  const resultNumber = resultNumbers[field.number] ?? field.number;
  const result = oneofFields(ExecClientMessageSchema).find(({ number }) => number === resultNumber);
  if (field.fieldKind !== "message" || result === undefined) return [];
  const name = field.name.replace(/_args$/, "");
  return [{ name, argsCase: field.localName, args: field.message, resultCase: result.localName }];
});

export function findExecKind(name: string): ExecKind | undefined {
  return execKinds.find((kind) => kind.name === name.toLowerCase());
}

export function resultCaseOf(argsCase: string): string | undefined {
  return execKinds.find((kind) => kind.argsCase === argsCase)?.resultCase;
}

/** Whether a field of this number can be a request: not if the schema has something else there. */
export function isRequestField(number: number): boolean {
  return !ExecServerMessageSchema.fields.some((field) => field.number === number && field.oneof === undefined);
}

/** The request with these arguments, given as protobuf JSON. */
export function execRequest({ argsCase, args }: ExecKind, json: JsonObject, toolCallId: string): ExecServerMessage {
  const hasId = args.fields.some(({ name }) => name === "tool_call_id");
  const value = hasId ? { toolCallId, ...json } : json;
  return fromJson(ExecServerMessageSchema, { [argsCase]: value }, { ignoreUnknownFields: true });
}

function oneofFields(message: DescMessage): readonly DescField[] {
  return message.oneofs.find((oneof) => oneof.name === "message")?.fields ?? [];
}
