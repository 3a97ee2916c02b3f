import { createHash } from "node:crypto";

/** Blob ids are the SHA-256 of the blob (docs/protocol/wire.md, blobs). As map keys they are written in hex. */
export function blobId(data: Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest();
}

export function blobKey(id: Uint8Array): string {
  return Buffer.from(id).toString("hex");
}
