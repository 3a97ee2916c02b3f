/** A field of a protobuf message that is a text, some bytes or an encoded message, by its number. */
export type Field = readonly [number: number, value: string | Uint8Array];

const LENGTH_DELIMITED = 2;

/** Encodes a message of such fields in one buffer. The numbers must be below 16, so that each tag is one byte. */
export function encodeFields(fields: readonly Field[]): Buffer {
  let size = 0;
  for (const [, value] of fields) {
    const length = lengthOf(value);
    size += 1 + varintBytes(length) + length;
  }
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const [number, value] of fields) {
    const length = lengthOf(value);
    bytes[at++] = (number << 3) | LENGTH_DELIMITED;
    at = writeVarint(bytes, at, length);
    if (typeof value === "string") bytes.write(value, at, length);
    else bytes.set(value, at);
    at += length;
  }
  return bytes;
}

function lengthOf(value: string | Uint8Array): number {
  return typeof value === "string" ? Buffer.byteLength(value) : value.length;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes++;
  return bytes;
}

function writeVarint(bytes: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  return at;
}
