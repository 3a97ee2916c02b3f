import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { type AgentClientMessage, AgentClientMessageSchema } from "../../src/gen/agent_v1_pb.js";
import type { JournalEntry } from "../world.js";

const MAX_MESSAGES = 200;
const MAX_CHARS = 4_096;
/** A message larger than this is turned into JSON at once, so that the journal does not hold its images. */
const LAZY_BYTES = 16 * 1024;

export function noteMessage({ messages }: JournalEntry, message: AgentClientMessage, bytes: number): void {
  if (messages.length >= MAX_MESSAGES) return;
  messages.push(bytes > LAZY_BYTES ? toShortJson(message) : () => toShortJson(message));
}

function toShortJson(message: AgentClientMessage): JsonValue {
  try {
    return shorten(toJson(AgentClientMessageSchema, message));
  } catch (cause) {
    // A google.protobuf.Value without a kind has no JSON.
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
