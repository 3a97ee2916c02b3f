import { isUtf8 } from "node:buffer";
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** A field of a message or of JSON as it is on the wire. `Node` of capture-format.ts is the same with its content cut. */
export type RawNode = Label &
  (
    | { kind: "text" | "data"; bytes: Buffer }
    | { kind: "number"; value: bigint | number }
    | { kind: "choice"; value: bigint }
    | { kind: "fixed"; bytes: Buffer }
    | { kind: "flag"; flag: boolean | null }
    | { kind: "message" | "list"; fields: RawNode[] }
    | { kind: "base64"; type: string; fields: RawNode[] }
  );

export interface Label {
  no?: number | undefined;
  name?: string | undefined;
}

/** The type behind a field number. */
type FieldType =
  | { readonly is: "message"; readonly fields: FieldLookup }
  | { readonly is: "text" | "choice" | "other" };
type FieldLookup = (no: number) => { readonly name?: string; readonly type: FieldType };

/** Messages are not nested deeper. Bytes that seem to be are left whole. */
const MAX_DEPTH = 60;
const other: FieldType = { is: "other" };

/** Reads all fields of a message in their order, the unknown ones too. @throws Error when the bytes are not such a message */
export function parseMessage(bytes: Uint8Array, desc: DescMessage): RawNode[] {
  return parseFields(bytes, lookupIn(desc), 0);
}

function parseFields(bytes: Uint8Array, lookup: FieldLookup, depth: number): RawNode[] {
  const reader = new BinaryReader(bytes);
  const fields: RawNode[] = [];
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    const { name, type } = lookup(no);
    fields.push({ no, ...(name !== undefined && { name }), ...parseValue(reader, wireType, type, depth) });
  }
  return fields;
}

function parseValue(reader: BinaryReader, wireType: WireType, type: FieldType, depth: number): RawNode {
  switch (wireType) {
    case WireType.Varint: {
      const value = BigInt(reader.uint64());
      return type.is === "choice" ? { kind: "choice", value } : { kind: "number", value };
    }
    case WireType.Bit32:
    case WireType.Bit64:
      return { kind: "fixed", bytes: Buffer.from(reader.skip(wireType)) };
    case WireType.LengthDelimited:
      return parseDelimited(Buffer.from(reader.bytes()), type, depth);
    default:
      throw new Error(`wire type ${wireType}`);
  }
}

function parseDelimited(bytes: Buffer, type: FieldType, depth: number): RawNode {
  if (type.is === "text" && isUtf8(bytes)) return { kind: "text", bytes };
  if (type.is === "message" && depth < MAX_DEPTH) {
    try {
      return { kind: "message", fields: parseFields(bytes, type.fields, depth + 1) };
    } catch {
      // Another message than the schema says; its bytes are kept whole.
    }
  }
  return { kind: "data", bytes };
}

function lookupIn(desc: DescMessage): FieldLookup {
  return (no) => {
    const field = desc.fields.find((each) => each.number === no);
    if (field === undefined) return { type: other };
    const type = field.fieldKind === "map" ? { is: "message" as const, fields: entryOf(field) } : valueType(field);
    return { name: field.name, type };
  };
}

/** The type of a field, of the items of a list, or of the values of a map. */
function valueType({ message, enum: choice, scalar }: DescField): FieldType {
  if (message !== undefined) return { is: "message", fields: lookupIn(message) };
  if (choice !== undefined) return { is: "choice" };
  return scalar === undefined ? other : scalarType(scalar);
}

function entryOf(field: DescField & { fieldKind: "map" }): FieldLookup {
  return (no) => {
    if (no === 1) return { name: "key", type: scalarType(field.mapKey) };
    return no === 2 ? { name: "value", type: valueType(field) } : { type: other };
  };
}

function scalarType(scalar: ScalarType): FieldType {
  if (scalar === ScalarType.STRING) return { is: "text" };
  return scalar === ScalarType.BOOL ? { is: "choice" } : other;
}
