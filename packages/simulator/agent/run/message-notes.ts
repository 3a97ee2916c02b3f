import { type DescMessage, type JsonObject, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type AgentClientMessage, AgentClientMessageSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import type { JournalEntry } from "../../server/world.js";

const MAX_MESSAGES = 200;
const MAX_BYTES = 256 * 1024;
const MAX_CHARS = 2_000;
/** A larger message is converted to JSON at once, so that the journal does not keep its images. */
const LAZY_BYTES = 8 * 1024;

/** Writes the messages of a run into its journal entry, within limits, because hundreds of entries are kept. */
export class MessageNotes {
  readonly #messages: JournalEntry["messages"];
  #bytes = 0;

  constructor({ messages }: JournalEntry) {
    this.#messages = messages;
  }

  add(message: AgentClientMessage, bytes: number): void {
    if (this.#messages.length >= MAX_MESSAGES || this.#bytes >= MAX_BYTES) return;
    this.#bytes += Math.min(bytes, LAZY_BYTES);
    this.#messages.push(bytes > LAZY_BYTES ? toShortJson(message) : () => toShortJson(message));
  }
}

function toShortJson(message: AgentClientMessage): JsonValue {
  try {
    return shorten(toFullJson(AgentClientMessageSchema, message));
  } catch (cause) {
    // A google.protobuf.Value without a kind has no JSON form.
    return { unreadable: cause instanceof Error ? cause.message : String(cause) };
  }
}

function shorten(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    return value.length > MAX_CHARS ? `${value.slice(0, MAX_CHARS)}… (${value.length} characters)` : value;
  }
  if (Array.isArray(value)) return value.map(shorten);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]));
}

/** A message as JSON. Fields that the schema does not know, which newer clients send, become hex under their numbers. */
function toFullJson(schema: DescMessage, message: Message): JsonValue {
  const json = toJson(schema, message);
  addUnknown(reflect(schema, message), json);
  return json;
}

function addUnknown(message: ReflectMessage, json: JsonValue | undefined): void {
  // The well-known types have a JSON form of their own.
  if (message.desc.typeName.startsWith("google.protobuf.") || !isObject(json)) return;
  for (const { no, data } of message.getUnknown() ?? []) json[`unknown${no}`] = Buffer.from(data).toString("hex");
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    const shown = json[field.jsonName];
    if (field.fieldKind === "message") addUnknown(message.get(field), shown);
    if (field.fieldKind !== "list" || field.listKind !== "message" || !Array.isArray(shown)) continue;
    for (const [index, item] of [...message.get(field)].entries())
      if (isReflectMessage(item)) addUnknown(item, shown[index]);
  }
}

function isObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
