import { isSecret, type ParsedBody, parseBody } from "./calls.js";
import { ruleFor } from "./headers.js";
import { parseJsonNode } from "./json-node.js";
import { HASH_BYTES, type Numbering } from "./numbering.js";
import type { RawCall, RawEvent } from "./raw-capture.js";
import type { RawNode } from "./raw-node.js";

/** Names of fields that hold ids, in protobuf and in JSON. */
export const ID_NAME = /(?:^|_)(?:id|ids|uuid)$|I[dD]s?$/;

export interface ParsedCall {
  readonly raw: RawCall;
  readonly bodies: ReadonlyMap<RawEvent, ParsedBody>;
}

export function parseCall(raw: RawCall): ParsedCall {
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

/** Notes every id of a call, so that it is found inside of texts too. */
export function noteIds({ raw, bodies }: ParsedCall, numbering: Numbering): void {
  for (const [name, value] of Object.entries(raw.opening.headers))
    if (ruleFor(name, value) === "id") numbering.noteId(Buffer.from(value));
  for (const { body } of bodies.values()) noteIdsIn(body, numbering);
}

function noteIdsIn(node: RawNode, numbering: Numbering): void {
  switch (node.kind) {
    case "message":
    case "list":
    case "base64":
      for (const field of node.fields) noteIdsIn(field, numbering);
      break;
    case "text":
    case "data":
      if (isId(node)) numbering.noteId(node.bytes);
      else if (node.kind === "data") numbering.noteContent(node.bytes);
      break;
    default:
      break;
  }
}

export function isId({ kind, name = "", bytes }: RawNode & { bytes: Buffer }): boolean {
  return bytes.length > 0 && (ID_NAME.test(name) || (kind === "data" && bytes.length === HASH_BYTES));
}
