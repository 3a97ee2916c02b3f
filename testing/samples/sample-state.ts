import { createHash } from "node:crypto";
import type { Checkpoint } from "../../src/store/store.js";

/** A length-delimited field of the wire format. */
export function field(number: number, body: Uint8Array): Buffer {
  const head: number[] = [];
  for (let rest of [number * 8 + 2, body.length]) {
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) head.push((rest % 128) + 0x80);
    head.push(rest);
  }
  return Buffer.concat([Buffer.from(head), body]);
}

export interface SampleBlob {
  readonly id: Buffer;
  readonly data: Buffer;
}

export function sampleBlob(data: Uint8Array | string): SampleBlob {
  const bytes = Buffer.from(data);
  return { id: createHash("sha256").update(bytes).digest(), data: bytes };
}

/** A state in Cursor's format: field 1 has the ids of the prompt messages. */
export function stateNaming(...blobs: readonly SampleBlob[]): Buffer {
  return Buffer.concat(blobs.map(({ id }) => field(1, id)));
}

export function sampleCheckpoint(changes: Partial<Checkpoint> = {}): Checkpoint {
  return { state: new Uint8Array(), conversationId: "c1", phase: "settled", calls: [], memo: "{}", ...changes };
}
