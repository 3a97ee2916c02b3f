import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** A length-delimited field around bytes that are a message already. */
export function wrapField(field: number, bytes: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish();
}

/** An empty message in a field of any number, known to the schema or not. */
export function unknownField(field: number): Uint8Array {
  return wrapField(field, new Uint8Array());
}
