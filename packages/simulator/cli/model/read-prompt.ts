import { create, type JsonObject } from "@bufbuild/protobuf";
import { McpToolDefinitionSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import type { Tool } from "../../model/tools.js";
import type { Entry } from "../../model/transcript.js";

/** The parts that a model finds in a prompt. */
export interface ReadPrompt {
  readonly entries: readonly Entry[];
  /** The system prompts in it. */
  readonly given: readonly string[];
  /** Tools that the prompt describes in words; the model calls them in words too. */
  readonly textTools: readonly Tool[];
}

const OPENING = /<(system|tools|user|assistant|tool_call|tool_result)\b([^<>]*)>\n?/g;

interface Part {
  readonly name: string;
  readonly attributes: string;
  readonly text: string;
}

/**
 * Drivers put a whole conversation into one prompt, with its parts in tags. A real model distinguishes them, and so does this
 * one: it answers only the newest message. A prompt without a user's part is one message.
 */
export function readPrompt(prompt: string): ReadPrompt {
  const parts = partsOf(prompt);
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

/** Each part goes from its opening tag to the next closing one. */
function partsOf(prompt: string): Part[] {
  const parts: Part[] = [];
  const unclosed = new Set<string>();
  let end = 0;
  for (const { 0: opening, 1: name = "", 2: attributes = "", index } of prompt.matchAll(OPENING)) {
    if (index < end || unclosed.has(name)) continue;
    const start = index + opening.length;
    const closing = prompt.indexOf(`</${name}>`, start);
    if (closing === -1) unclosed.add(name);
    else {
      parts.push({ name, attributes, text: prompt.slice(start, closing).replace(/\n$/, "").replaceAll("&lt;", "<") });
      end = closing;
    }
  }
  return parts;
}

/** Tools without a provider can be called only in words. */
export function isTextTool({ definition }: Tool): boolean {
  return definition.providerIdentifier === "";
}

function toTextTool(line: string): Tool {
  const { name, description, inputSchema = {} } = parseObject(line);
  const definition = create(McpToolDefinitionSchema, { name: String(name), description: String(description ?? "") });
  return { name: String(name), definition, description: definition.description, schema: inputSchema };
}

function parseObject(text: string): JsonObject {
  try {
    return { ...(JSON.parse(text) as JsonObject) };
  } catch {
    return {}; // not a driver's tags, but a person's own
  }
}
