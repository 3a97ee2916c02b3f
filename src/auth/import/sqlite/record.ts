/** A value of a row; numbers are told only as far as this reader needs them. */
export type Value = Buffer | number | undefined;

/** A variable-length integer, and where it ends. Anything above 2^53 does not occur where we look. */
export function varint(bytes: Buffer, at: number): [value: number, end: number] {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(at + index);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + index + 1];
  }
  return [value * 256 + bytes.readUInt8(at + 8), at + 9];
}

/** The first `count` values of a row. */
export function readRecord(payload: Buffer, count: number): Value[] {
  const values: Value[] = [];
  const [headerEnd, start] = varint(payload, 0);
  let at = headerEnd;
  for (let next = start; next < headerEnd && values.length < count; ) {
    const [type, end] = varint(payload, next);
    next = end;
    const length = lengthOf(type);
    values.push(type >= 12 ? payload.subarray(at, at + length) : readNumber(type, payload, at, length));
    at += length;
  }
  return values;
}

function lengthOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2);
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] ?? 0;
}

function readNumber(type: number, payload: Buffer, at: number, length: number): number | undefined {
  if (type === 8) return 0;
  if (type === 9) return 1;
  return type >= 1 && type <= 5 ? payload.readIntBE(at, length) : undefined;
}
