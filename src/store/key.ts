import { hash } from "node:crypto";

/** Names become tags of a fixed size: keys stay short, and one table row never is the beginning of another's key. */
export const ownerBytes = 16;
export const conversationBytes = 8;
export const idBytes = 32;

/** All rows of a table. */
export const everything = Buffer.alloc(0);

export function ownerTag(owner: string): Buffer {
  return digest(owner).subarray(0, ownerBytes);
}

/** Owner + conversation. Two conversations with one tag would only live as long as the longer-lived of them. */
export function threadKey(owner: Buffer, conversationId: string): Buffer {
  return Buffer.concat([owner, digest(conversationId).subarray(0, conversationBytes)]);
}

/** Owner + the hash of a free name. */
export function namedKey(owner: Buffer, name: string): Buffer {
  return Buffer.concat([owner, digest(name)]);
}

export function blobKey(owner: Buffer, id: Uint8Array): Buffer {
  return Buffer.concat([owner, id]);
}

export function reachKey(thread: Buffer, id: Uint8Array): Buffer {
  return Buffer.concat([thread, id]);
}

export function holderKey(thread: Buffer, id: Uint8Array): Buffer {
  return Buffer.concat([thread.subarray(0, ownerBytes), id, thread.subarray(ownerBytes)]);
}

export function ownerOf(key: Buffer): Buffer {
  return key.subarray(0, ownerBytes);
}

export function isHashOf(id: Uint8Array, data: Uint8Array): boolean {
  return id.length === idBytes && hash("sha256", data, "buffer").equals(id);
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
