import { createRegistry, type DescMessage } from "@bufbuild/protobuf";
import { AgentClientMessageSchema, file_agent_v1 } from "../gen/agent_v1_pb.js";
import { file_aiserver_v1 } from "../gen/aiserver_v1_pb.js";
import { type Label, parseMessage, type RawNode } from "./message-node.js";

const services = createRegistry(file_agent_v1, file_aiserver_v1);

export const RUN = "/agent.v1.AgentService/Run";
export const RUN_SSE = "/agent.v1.AgentService/RunSSE";

/** Whether the call is a stream of messages in both directions, whatever carries the client's. */
export function isRun(path: string): boolean {
  return path === RUN || path === RUN_SSE;
}

/** Calls whose bodies are credentials. Their bodies are never recorded, not even their lengths. */
export function isSecret(path: string): boolean {
  return /auth|login|token|apikey/i.test(path);
}

/** Calls about the account, whose numbers are private. */
export function isAboutAccount(path: string): boolean {
  const isService = /^\/[a-z_]+\.v\d+\.\w+\/\w+$/.test(path); // `/package.Service/Method`
  return path.startsWith("/aiserver.v1.DashboardService/") || (!isService && !path.endsWith("/models"));
}

/** The path without every part that is not made of plain words. */
export function shownPath(path: string): string {
  const isPlain = (part: string) => part.split(".").every((word) => /^(?:[A-Za-z_]*|v\d)$/.test(word));
  return path
    .split("/")
    .map((part) => (isPlain(part) ? part : "-"))
    .join("/");
}

export function messageOf(path: string, from: "client" | "server"): DescMessage | undefined {
  if (path === RUN_SSE && from === "client") return AgentClientMessageSchema; // as BidiAppend carries them
  const [, service = "", name] = path.split("/");
  const method = services.getService(service)?.methods.find((each) => each.name === name);
  return from === "client" ? method?.input : method?.output;
}

export interface ParsedBody {
  /** The type of the message; absent for JSON and other bodies. */
  readonly message?: string;
  readonly path: string;
  readonly body: RawNode;
  /** Whether the body is a refusal. */
  readonly isRefusal?: boolean;
}

/** Reads a body or one message of a stream, by its call and its content type. */
export function parseBody(path: string, from: "client" | "server", contentType: string, bytes: Buffer): ParsedBody {
  const desc = /proto/.test(contentType) || contentType === "" ? messageOf(path, from) : undefined;
  if (desc !== undefined) {
    try {
      const fields = parseMessage(bytes, desc);
      return { message: desc.typeName, path: casesOf(fields, desc).join("."), body: { kind: "message", fields } };
    } catch {
      // Not this message; it may still be JSON.
    }
  }
  const body = parseJsonNode(bytes.toString("utf8")) ?? { kind: "data", bytes };
  return { path: "", body };
}

/** The cases that are set, by name, from the outside in: `interaction_update`, `text_delta`. Unknown ones by number. */
function casesOf(fields: readonly RawNode[], desc: DescMessage): string[] {
  if (desc.oneofs.length === 0) return [];
  for (const field of fields) {
    const known = desc.fields.find(({ number }) => number === field.no);
    if (known?.oneof === undefined) continue;
    return [known.name, ...(field.kind === "message" && known.message ? casesOf(field.fields, known.message) : [])];
  }
  const unknown = fields.find(({ name }) => name === undefined);
  return unknown === undefined ? [] : [String(unknown.no)];
}

/** Messages that only show that the sender is alive. */
export function isHeartbeat({ path }: { readonly path: string }): boolean {
  return /(?:^|[._])heartbeat$/.test(path);
}

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
