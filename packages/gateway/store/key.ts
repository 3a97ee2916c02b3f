import { hash, randomBytes } from "node:crypto";

/** A Buffer view of the same bytes, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Keys are made of parts of a fixed size, so no key is a prefix of another. */
export const OWNER_BYTES = 16;
const LINEAGE_BYTES = 16;
export const ID_BYTES = 32;
const TIME_BYTES = 6;
const SIZE_BYTES = 4;
/** Keeps the keys of rows with the same time and size apart. */
const SALT_BYTES = 6;
/** Where the parts of a row's key begin. */
const AT_TIME = OWNER_BYTES + LINEAGE_BYTES;
const AT_NAMED = AT_TIME + TIME_BYTES;
const AT_SIZE = AT_NAMED + 1;
/** Owner + lineage: the prefix of the keys of all rows of a lineage. */
export const GROUP_BYTES = AT_TIME;

export const everything = Buffer.alloc(0);

/** A random name for a conversation from its cold start on. */
export function newLineage(): string {
  return randomBytes(LINEAGE_BYTES).toString("base64url");
}

export function ownerTag(owner: string): Buffer {
  return hash("sha256", owner, "buffer").subarray(0, OWNER_BYTES);
}

export function groupKey(owner: Buffer, lineage: string): Buffer {
  const key = Buffer.alloc(GROUP_BYTES);
  key.set(owner, 0);
  key.write(lineage, OWNER_BYTES, LINEAGE_BYTES, "base64url");
  return key;
}

/** Owner + the hash of a free name. */
export function nameKey(owner: Buffer, name: string): Buffer {
  const key = Buffer.allocUnsafe(OWNER_BYTES + ID_BYTES);
  key.set(owner, 0);
  // A hash as text costs half as much as one in a buffer of its own, and a long transcript is looked up by hundreds of keys.
  key.write(hash("sha256", name, "base64url"), OWNER_BYTES, "base64url");
  return key;
}

/** What a key says about its row, so that a sweep need not read the row. */
export interface RowFacts {
  readonly putMs: number;
  readonly isNamed: boolean;
  readonly size: number;
}

export function rowKey(group: Buffer, { putMs, isNamed, size }: RowFacts): Buffer {
  const key = Buffer.allocUnsafe(AT_SIZE + SIZE_BYTES + SALT_BYTES);
  key.set(group, 0);
  key.writeUIntBE(Math.max(0, Math.floor(putMs)), AT_TIME, TIME_BYTES);
  key.writeUInt8(isNamed ? 1 : 0, AT_NAMED);
  key.writeUInt32BE(size, AT_SIZE);
  key.set(randomBytes(SALT_BYTES), AT_SIZE + SIZE_BYTES);
  return key;
}

export function factsOf(key: Buffer): RowFacts {
  return {
    putMs: key.readUIntBE(AT_TIME, TIME_BYTES),
    isNamed: key.readUInt8(AT_NAMED) === 1,
    size: key.readUInt32BE(AT_SIZE),
  };
}

export function groupOf(key: Buffer): Buffer {
  return key.subarray(0, GROUP_BYTES);
}

export function ownerOf(key: Buffer): Buffer {
  return key.subarray(0, OWNER_BYTES);
}

export function lineageOf(key: Buffer): string {
  return key.toString("base64url", OWNER_BYTES, GROUP_BYTES);
}

export function isHashOf(id: Uint8Array, data: Uint8Array): boolean {
  return id.length === ID_BYTES && hash("sha256", data, "buffer").equals(id);
}
