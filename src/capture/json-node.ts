import { createRegistry } from "@bufbuild/protobuf";
import { file_aiserver_v1 } from "../gen/aiserver_v1_pb.js";
import { encodeMessage, parseMessage } from "./message-node.js";
import type { Label, RawNode } from "./raw-node.js";

const MAX_DEPTH = 60;
const types = createRegistry(file_aiserver_v1);

/** The value of a JSON text as a node; undefined when it is not JSON. */
export function parseJsonNode(text: string): RawNode | undefined {
  try {
    return nodeOf(JSON.parse(text), {}, 0);
  } catch {
    return undefined;
  }
}

function nodeOf(value: unknown, label: Label, depth: number): RawNode {
  if (depth > MAX_DEPTH) throw new Error("nested too deep");
  if (typeof value === "string") return { ...label, kind: "text", bytes: Buffer.from(value) };
  if (typeof value === "number") return { ...label, kind: "number", value };
  if (typeof value === "boolean" || value === null) return { ...label, kind: "flag", flag: value };
  if (Array.isArray(value))
    return { ...label, kind: "list", fields: value.map((item: unknown) => nodeOf(item, {}, depth + 1)) };
  return { ...label, kind: "message", fields: fieldsOf(Object.entries(value ?? {}), depth) };
}

function fieldsOf(entries: readonly [string, unknown][], depth: number): RawNode[] {
  const type = entries.find(([name]) => name === "type")?.[1];
  return entries.map(([name, value]) => {
    const message = name === "value" && typeof value === "string" ? messageIn(value, type) : undefined;
    return message === undefined ? nodeOf(value, { name }, depth + 1) : { name, ...message };
  });
}

/** The message of an error's details, which Connect writes beside the name of its type. */
function messageIn(base64: string, type: unknown): RawNode | undefined {
  if (typeof type !== "string" || base64 === "") return undefined;
  const desc = types.getMessage(type);
  if (desc === undefined) return undefined;
  try {
    return { kind: "base64", type, fields: parseMessage(Buffer.from(base64, "base64"), desc) };
  } catch {
    return undefined;
  }
}

export function encodeJsonNode(node: RawNode): string {
  return JSON.stringify(toJson(node));
}

function toJson(node: RawNode): unknown {
  switch (node.kind) {
    case "text":
    case "data":
      return node.bytes.toString("utf8");
    case "number":
    case "choice":
      return Number(node.value);
    case "flag":
      return node.flag;
    case "list":
      return node.fields.map(toJson);
    case "message":
      return Object.fromEntries(node.fields.map((field) => [field.name ?? "", toJson(field)]));
    case "base64":
      // Connect writes it without padding.
      return encodeMessage(node.fields).toString("base64").replaceAll("=", "");
    case "fixed":
      return node.bytes.toString("hex");
  }
}
