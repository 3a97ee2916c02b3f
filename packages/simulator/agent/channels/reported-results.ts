import { type DescMessage, isMessage, type JsonObject, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import {
  ExecClientMessageSchema,
  type InteractionResponse,
  InteractionResponseSchema,
  type McpResult,
  McpResultSchema,
  McpStateExecResultSchema,
  ShellStreamSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import type { ExecAnswer, ExecResult } from "./execs.js";

const MAX_CHARS = 2_000;
/** The fields that may hold the text of a result. */
const textFields = ["reason", "error", "errorMessage", "content", "output", "stdout", "markdown"];

/** The answer to an exec request as one line of text: `rejected: no shell here`, `success: ...`, `thrown: ...`. */
export function describeExec(answer: ExecAnswer): string {
  if (answer.type === "thrown") return `thrown: ${answer.error}`;
  const [first] = answer.results;
  if (first?.value === undefined) return "answered with nothing that is known";
  if (isMessage(first.value, McpResultSchema)) return describeMcp(first.value);
  if (isMessage(first.value, McpStateExecResultSchema) && first.value.result.case === "success") {
    const servers = first.value.result.value.servers.map(
      ({ serverIdentifier, tools }) => `${serverIdentifier} with ${tools.map(({ toolName }) => toolName).join(", ")}`,
    );
    return `success: ${servers.join("; ") || "no servers"}`;
  }
  if (isMessage(first.value, ShellStreamSchema)) return describeShellStream(answer.results);
  return describeMessage(messageOf(ExecClientMessageSchema, first.case), first.value);
}

export function describeResponse({ result }: InteractionResponse): string {
  if (result.value === undefined) return "answered with nothing that is known";
  return describeMessage(messageOf(InteractionResponseSchema, result.case), result.value);
}

/** The result of a client tool, as text for the transcript. */
export function describeMcp({ result }: McpResult): string {
  switch (result.case) {
    case "success": {
      const pieces = result.value.content.map(({ content }) => {
        if (content.case === "text") return content.value.text;
        if (content.case === "image") return `[${content.value.mimeType}, ${content.value.data.byteLength} bytes]`;
        return "";
      });
      return `${result.value.isError ? "error: " : ""}${pieces.join("\n")}`;
    }
    case "error":
      return `error: ${result.value.error}`;
    case "rejected":
      return `rejected: ${result.value.reason}`;
    case "permissionDenied":
      return `permission denied: ${result.value.error}`;
    case "toolNotFound":
      return `tool not found: ${result.value.name}; there are: ${result.value.availableTools.join(", ")}`;
    case "serverNotFound":
      return `server not found: ${result.value.name}; there are: ${result.value.availableServers.join(", ")}`;
    case "approved":
      return "approved, which is no result";
    default:
      return "an empty result";
  }
}

function describeShellStream(pieces: readonly ExecResult[]): string {
  let output = "";
  let ending = "closed";
  for (const { case: name, value } of pieces) {
    if (name !== "shellStream") continue;
    const { event } = value;
    if (event.case === "stdout" || event.case === "stderr") output += event.value.data;
    else if (event.case === "exit") ending = `exit ${event.value.code}`;
    else if (event.case === "rejected") ending = `rejected: ${event.value.reason}`;
    else if (event.case === "permissionDenied") ending = `permission_denied: ${event.value.error}`;
    else if (event.case === "backgrounded") ending = "backgrounded";
  }
  return output === "" ? ending : `${ending}: ${output.slice(0, MAX_CHARS)}`;
}

function describeMessage(schema: DescMessage | undefined, message: Message): string {
  if (schema === undefined) return "answered";
  const json = toJson(schema, message);
  return isObject(json) ? describeJson(schema, json) : "answered";
}

/** The set case of the result's oneof, and its text. */
function describeJson(schema: DescMessage, json: JsonObject): string {
  const arm = schema.oneofs.flatMap(({ fields }) => fields).find(({ jsonName }) => jsonName in json);
  if (arm === undefined) {
    const inner = schema.fields.find(({ name }) => name === "result");
    const innerJson = json.result;
    if (inner?.message !== undefined && isObject(innerJson)) return describeJson(inner.message, innerJson);
    return "allowlisted" in json || schema.fields.some(({ name }) => name === "allowlisted")
      ? `allowlisted: ${json.allowlisted === true}`
      : "answered";
  }
  const value = json[arm.jsonName];
  const text = isObject(value) ? textIn(value) : "";
  return text === "" ? arm.name : `${arm.name}: ${text.slice(0, MAX_CHARS)}`;
}

function textIn(value: JsonObject): string {
  for (const name of textFields) {
    const text = value[name];
    if (typeof text === "string" && text !== "") return text;
  }
  return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
}

function messageOf(schema: DescMessage, localName: string): DescMessage | undefined {
  return schema.fields.find((field) => field.localName === localName)?.message;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
