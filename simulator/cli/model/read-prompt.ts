import { create, type JsonObject } from "@bufbuild/protobuf";
import { McpToolDefinitionSchema } from "../../../src/gen/agent_v1_pb.js";
import type { Tool } from "../../agent/tools.js";
import type { Entry } from "../../agent/transcript.js";

/** What a model makes of a prompt. */
export interface ReadPrompt {
  readonly entries: readonly Entry[];
  /** System prompts in it. */
  readonly given: readonly string[];
  /** Tools that it describes in words; they are called in words too. */
  readonly textTools: readonly Tool[];
}

const PART = /<(system|tools|user|assistant|tool_call|tool_result)\b([^>]*)>\n?([\s\S]*?)\n?<\/\1>/g;

/**
 * Drivers put a whole conversation into one prompt, its parts in tags. A model tells them apart, and so does this one: only the
 * newest message is to be answered. A prompt without a user's part is one message.
 */
export function readPrompt(prompt: string): ReadPrompt {
  const parts = [...prompt.matchAll(PART)].map(([, name, attributes = "", text = ""]) => {
    return { name, attributes, text: text.replaceAll("&lt;", "<") };
  });
  if (!parts.some(({ name }) => name === "user")) {
    return { entries: [{ role: "user", text: prompt, images: [] }], given: [], textTools: [] };
  }
  const names = new Map<string, string>();
  const entries = parts.flatMap(({ name, attributes, text }, index): Entry[] => {
    switch (name) {
      case "user":
        return [{ role: "user", text, images: [] }];
      case "assistant":
        return [{ role: "assistant", id: String(index), parts: [{ type: "text", text }] }];
      case "tool_call": {
        const call = parseObject(text);
        const toolCallId = String(call.id ?? index);
        const toolName = String(call.name);
        names.set(toolCallId, toolName);
        const args = { ...(call.arguments as JsonObject | undefined) };
        return [{ role: "assistant", id: String(index), parts: [{ type: "tool-call", toolCallId, toolName, args }] }];
      }
      case "tool_result": {
        const toolCallId = /id="([^"]*)"/.exec(attributes)?.[1]?.replaceAll("&quot;", '"') ?? "";
        return [{ role: "tool", results: [{ toolCallId, toolName: names.get(toolCallId) ?? "tool", result: text }] }];
      }
      default:
        return [];
    }
  });
  return {
    entries,
    given: parts.filter(({ name }) => name === "system").map(({ text }) => text),
    textTools: parts.filter(({ name }) => name === "tools").flatMap(({ text }) => text.split("\n").map(toTextTool)),
  };
}

/** Tools without a provider are those that only words can call. */
export function isTextTool({ definition }: Tool): boolean {
  return definition.providerIdentifier === "";
}

function toTextTool(line: string): Tool {
  const { name, description, inputSchema = {} } = parseObject(line);
  const definition = create(McpToolDefinitionSchema, { name: String(name), description: String(description ?? "") });
  return { name: String(name), definition, schema: inputSchema };
}

function parseObject(text: string): JsonObject {
  try {
    return { ...(JSON.parse(text) as JsonObject) };
  } catch {
    return {}; // not a driver's, but a person's own tags
  }
}
