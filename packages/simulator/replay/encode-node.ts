import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { RawNode } from "@curlew/wire/messages/message-node.js";

/** The opposite of `parseMessage`. Fields without a number are not written: they are JSON's. */
export function encodeMessage(fields: readonly RawNode[]): Buffer {
  const writer = new BinaryWriter();
  for (const field of fields) if (field.no !== undefined) writeField(writer, field.no, field);
  return Buffer.from(writer.finish());
}

function writeField(writer: BinaryWriter, no: number, field: RawNode): void {
  switch (field.kind) {
    case "text":
    case "data":
      writer.tag(no, WireType.LengthDelimited).bytes(field.bytes);
      break;
    case "number":
    case "choice":
      writer.tag(no, WireType.Varint).uint64(BigInt(field.value));
      break;
    case "fixed":
      writer.tag(no, field.bytes.length === 4 ? WireType.Bit32 : WireType.Bit64).raw(field.bytes);
      break;
    case "message":
      writer.tag(no, WireType.LengthDelimited).bytes(encodeMessage(field.fields));
      break;
    case "list":
    case "flag":
    case "base64":
      break; // these are JSON's
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
