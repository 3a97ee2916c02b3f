import type { JsonObject } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { z } from "zod";
import { type ImageNote, noteImage } from "./image-note.js";

/** One root message of a conversation, as the model reads it. */
export type Entry =
  | { role: "system"; text: string }
  /** What the server itself puts before the first user message: rules, environment. */
  | { role: "context"; text: string }
  | { role: "user"; text: string; images: readonly ImageNote[] }
  | { role: "assistant"; id: string; parts: readonly AssistantPart[] }
  | { role: "tool"; results: readonly ToolResult[] };

export type AssistantPart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | ({ type: "tool-call" } & ToolCall);

export interface ToolCall {
  toolCallId: string;
  toolName: string;
  args: JsonObject;
}

export interface ToolResult {
  toolCallId: string;
  toolName: string;
  result: string;
}

const CONTEXT_START = "<simulated_context>\n";
const CONTEXT_END = "\n</simulated_context>";

/** The JSON of an entry. Equal entries have equal bytes, so that they keep their blob ids. */
export function encodeEntry(entry: Entry): Uint8Array {
  return Buffer.from(JSON.stringify(toJson(entry)));
}

function toJson(entry: Entry): unknown {
  switch (entry.role) {
    case "system":
      return { role: "system", content: entry.text };
    case "context":
      return { role: "user", content: [{ type: "text", text: CONTEXT_START + entry.text + CONTEXT_END }] };
    case "user": {
      const images = entry.images.map((image) => ({ type: "image", ...image }));
      return {
        role: "user",
        content: [{ type: "text", text: `<user_query>\n${entry.text}\n</user_query>` }, ...images],
      };
    }
    case "assistant":
      return { role: "assistant", id: entry.id, content: entry.parts };
    case "tool":
      return {
        role: "tool",
        id: entry.results[0]?.toolCallId ?? "",
        content: entry.results.map((result) => ({ type: "tool-result", ...result })),
      };
  }
}

/** Clients put what the user says while a tool runs into its result, in these tags. A model takes it as the user's newest words. */
const WORDS_START = "<message_from_user>";
const WORDS_END = "</message_from_user>";

/** The conversation with such words as messages of the user. */
export function separateUserWords(entries: readonly Entry[]): Entry[] {
  return entries.flatMap((entry): Entry[] => {
    if (entry.role !== "tool") return [entry];
    const said: string[] = [];
    const results = entry.results.map((each) => {
      const { rest, inner } = takeOut(each.result, WORDS_START, WORDS_END);
      said.push(...inner);
      return { ...each, result: rest };
    });
    return said.length === 0
      ? [entry]
      : [
          { role: "tool", results },
          { role: "user", text: said.join("\n"), images: [] },
        ];
  });
}

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  args: z.json().optional(),
  input: z.json().optional(),
  result: z.json().optional(),
  output: z.json().optional(),
  mimeType: z.string().optional(),
  image: z.string().optional(),
  hash: z.string().optional(),
  bytes: z.number().optional(),
  colour: z.string().optional(),
});
const Message = z.looseObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  id: z.string().optional(),
  content: z.union([z.string(), z.array(Part)]).default(""),
});
type Part = z.infer<typeof Part>;

/** Reads an entry that the simulator or the client wrote. */
export function decodeEntry(json: Uint8Array): Entry {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(json).toString());
  } catch {
    throw new ConnectError("A root message is not JSON", Code.Internal);
  }
  const parsed = Message.safeParse(value);
  if (!parsed.success)
    throw new ConnectError(`A root message is malformed: ${z.prettifyError(parsed.error)}`, Code.Internal);
  const { role, id, content } = parsed.data;
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("\n");
  switch (role) {
    case "system":
      return { role, text };
    case "user":
      if (text.startsWith(CONTEXT_START)) {
        return { role: "context", text: text.slice(CONTEXT_START.length, -CONTEXT_END.length) };
      }
      return { role, text: unwrapQuery(text), images: parts.flatMap(toImage) };
    case "assistant":
      return { role, id: id ?? "", parts: parts.flatMap(toAssistantPart) };
    case "tool":
      return { role, results: parts.flatMap((part) => toResult(part, id)) };
  }
}

const QUERY_START = "<user_query>";
const QUERY_END = "</user_query>";

/** Removes the tags in which clients wrap the user's words, from each part separately. */
function unwrapQuery(text: string): string {
  const { inner } = takeOut(text, QUERY_START, QUERY_END);
  return inner.length === 0 ? text : inner.join("\n");
}

/** The texts between these tags, and the text without them. */
function takeOut(text: string, startTag: string, endTag: string): { inner: string[]; rest: string } {
  const inner: string[] = [];
  let rest = "";
  let end = 0;
  for (let start = text.indexOf(startTag); start !== -1; start = text.indexOf(startTag, end)) {
    const close = text.indexOf(endTag, start);
    if (close === -1) break;
    rest += text.slice(end, start);
    end = close + endTag.length;
    inner.push(
      text
        .slice(start + startTag.length, close)
        .replace(/^\n/, "")
        .replace(/\n$/, ""),
    );
  }
  return { inner, rest: rest + text.slice(end) };
}

function toImage({ type, mimeType = "", image, hash = "", bytes = 0, colour }: Part): ImageNote[] {
  if (type !== "image" && type !== "file") return [];
  // Clients that rebuild a conversation put the image itself in.
  if (image !== undefined) return [noteImage(mimeType, Buffer.from(image, "base64"))];
  return [{ mimeType, hash, bytes, ...(colour !== undefined && { colour }) }];
}

function toAssistantPart(part: Part): AssistantPart[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [{ type: part.type, text: part.text ?? "" }];
    case "tool-call": {
      const args = part.args ?? part.input;
      const isObject = typeof args === "object" && args !== null && !Array.isArray(args);
      const { toolCallId = "", toolName = "" } = part;
      return [{ type: "tool-call", toolCallId, toolName, args: isObject ? args : {} }];
    }
    default:
      return []; // redacted reasoning, and parts that other clients may write
  }
}

function toResult(part: Part, id: string | undefined): ToolResult[] {
  if (part.type !== "tool-result" && part.type !== "text") return [];
  const result = part.result ?? part.output ?? part.text ?? "";
  return [
    {
      toolCallId: part.toolCallId ?? id ?? "",
      toolName: part.toolName ?? "",
      result: typeof result === "string" ? result : JSON.stringify(result),
    },
  ];
}
