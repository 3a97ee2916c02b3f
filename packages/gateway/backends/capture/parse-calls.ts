import { isSecret, type ParsedBody, parseBody, parseJsonNode } from "@curlew/wire/messages/calls.js";
import type { RawNode } from "@curlew/wire/messages/message-node.js";
import { HASH_BYTES, type Numbering } from "./numbering.js";
import type { RawCall, RawEvent } from "./raw-capture.js";

/** Names of fields that hold ids, in protobuf and in JSON. */
export const ID_NAME = /(?:^|_)(?:id|ids|uuid)$|I[dD]s?$/;

export type ParsedCall = ReturnType<typeof parseCall>;

export function parseCall(raw: RawCall) {
  const bodies = new Map<RawEvent, ParsedBody>();
  const { path, headers } = raw.opening;
  if (isSecret(path)) return { raw, bodies };
  let answer = { status: 0, contentType: "" };
  for (const event of raw.events) {
    if (event.type === "answered") answer = { status: event.status, contentType: event.headers["content-type"] ?? "" };
    if (event.type === "sent") bodies.set(event, parseBody(path, "client", headers["content-type"] ?? "", event.bytes));
    if (event.type === "received") {
      const body = parseBody(path, "server", answer.contentType, event.bytes);
      bodies.set(event, { ...body, isRefusal: answer.status !== 200 });
    }
    if (event.type === "ended" && event.json !== undefined) {
      const body = parseJsonNode(event.json) ?? { kind: "data", bytes: Buffer.from(event.json) };
      bodies.set(event, { path: "", body });
    }
  }
  return { raw, bodies };
}

/** Notes every id of a call, so that it is also found inside texts. */
export function noteIds({ raw, bodies }: ParsedCall, numbering: Numbering): void {
  for (const [name, value] of Object.entries(raw.opening.headers))
    if (ruleFor(name, value) === "id") numbering.noteId(Buffer.from(value));
  for (const { body } of bodies.values()) noteIdsIn(body, numbering);
}

function noteIdsIn(node: RawNode, numbering: Numbering): void {
  if ("fields" in node) for (const field of node.fields) noteIdsIn(field, numbering);
  if (node.kind !== "text" && node.kind !== "data") return;
  if (isId(node)) numbering.noteId(node.bytes);
  else if (node.kind === "data") numbering.noteContent(node.bytes);
}

/** The content of a blob may be as long as a hash. */
const CONTENT = "blob_data";

export function isId({ kind, name = "", bytes }: RawNode & { bytes: Buffer }): boolean {
  return (
    bytes.length > 0 && (ID_NAME.test(name) || (kind === "data" && bytes.length === HASH_BYTES && name !== CONTENT))
  );
}

/** Headers that the transport sets by itself or that differ each time, and say nothing about either side. */
const left = /^(?::.*|date|host|connection|keep-alive|transfer-encoding|content-length|accept-encoding)$/;
/** Headers whose values come from a small set, or name a program and its version. */
const shown =
  /^(?:content-type|connect-(?:protocol-version|accept-encoding|content-encoding|timeout-ms)|grpc-(?:status|encoding|accept-encoding|timeout)|user-agent|te|x-ghost-mode|x-cursor-client-(?:type|version)|x-cursor-streaming|retry-after|x-cursor-inference-request-error-type)$/;
/** A shown value is short and has no characters of addresses, paths or credentials beyond these. */
const plain = /^[\w .,;:=+*/()-]{0,100}$/;
const ids = /^x-(?:original-)?request-id$/;

/** Headers whose lengths would help to guess them. */
const secret = /authorization|cookie|key|token|checksum|session|address|forwarded|client-ip/;

export function ruleFor(name: string, value: string): "left" | "secret" | "shown" | "id" | "cut" {
  if (left.test(name)) return "left";
  if (secret.test(name)) return "secret";
  if (ids.test(name)) return "id";
  return shown.test(name) && plain.test(value) ? "shown" : "cut";
}

const LISTS = /\/(?:GetUsableModels|AvailableModels|GetDefaultModelForCli|models)$/;
/** Names that programs give to models and their parameters. */
const SLUG = /^[A-Za-z0-9][\w.:-]{0,60}$/;
/** The fill of a replay has none of these. */
const REAL = /[aeiouy\d]/i;

/** Whether the call lists Cursor's models. Their names come from Cursor, and replays need them. */
export function isModelList(path: string): boolean {
  return LISTS.test(path);
}

/** Fields whose ids name a model or one of its parameters. */
const NAMES_MODEL = /^id$|(?:^|_)model_ids?$|[mM]odelIds?$/;

/** Whether the field is an id that only the server and the client know, not the name of a model. */
export function isPrivateId(node: RawNode & { bytes: Buffer }): boolean {
  return isId(node) && !NAMES_MODEL.test(node.name ?? "");
}

/** The names of models and parameters in a list of models that Cursor has sent. */
export function* slugsIn(node: RawNode): Generator<string> {
  if ("fields" in node) for (const field of node.fields) yield* slugsIn(field);
  if (node.kind !== "text" || isPrivateId(node)) return;
  const text = node.bytes.toString("utf8");
  if (SLUG.test(text) && REAL.test(text)) yield text;
}
