import { hash } from "node:crypto";

/** A Buffer view of the same bytes, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A copy outside Node's buffer pool, where a small copy would keep a whole slab alive. */
export function copyOf(data: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(data.length);
  copy.set(data);
  return copy;
}

/** Names become tags of a fixed size. So keys stay short, and no key is a prefix of another. */
export const OWNER_BYTES = 16;
export const CONVERSATION_BYTES = 8;
export const ID_BYTES = 32;

export const everything = Buffer.alloc(0);

export function ownerTag(owner: string): Buffer {
  return digest(owner).subarray(0, OWNER_BYTES);
}

/** Owner + conversation. If two conversations ever had the same tag, both would live as long as the longer-lived one. */
export function threadKey(owner: Buffer, conversationId: string): Buffer {
  return Buffer.concat([owner, digest(conversationId).subarray(0, CONVERSATION_BYTES)]);
}

/** Owner + the hash of a free name. */
export function namedKey(owner: Buffer, name: string): Buffer {
  const key = Buffer.allocUnsafe(OWNER_BYTES + ID_BYTES);
  key.set(owner, 0);
  // A hash as text costs half as much as one in a buffer of its own, and a long transcript is looked up by hundreds of keys.
  key.write(hash("sha256", name, "base64url"), OWNER_BYTES, "base64url");
  return key;
}

export function blobKey(owner: Buffer, id: Uint8Array): Buffer {
  return Buffer.concat([owner, id]);
}

export function reachKey(thread: Buffer, id: Uint8Array): Buffer {
  return Buffer.concat([thread, id]);
}

export function holderKey(thread: Buffer, id: Uint8Array): Buffer {
  return Buffer.concat([thread.subarray(0, OWNER_BYTES), id, thread.subarray(OWNER_BYTES)]);
}

export function ownerOf(key: Buffer): Buffer {
  return key.subarray(0, OWNER_BYTES);
}

export function isHashOf(id: Uint8Array, data: Uint8Array): boolean {
  return id.length === ID_BYTES && hash("sha256", data, "buffer").equals(id);
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
