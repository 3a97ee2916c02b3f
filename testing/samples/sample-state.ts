import { createHash } from "node:crypto";

export interface SampleBlob {
  readonly id: Buffer;
  readonly data: Buffer;
}

export function sampleBlob(data: Uint8Array | string): SampleBlob {
  const bytes = Buffer.from(data);
  return { id: createHash("sha256").update(bytes).digest(), data: bytes };
}

/** The name of a lineage of tests. */
export function sampleLineage(name: string): string {
  return createHash("sha256").update(name).digest().subarray(0, 16).toString("base64url");
}
