import type { BlobStorage, StartContext } from "../../../src/backends/backend.js";

/** A start without a checkpoint, for tests that need nothing else. */
export function startContext(rest: Partial<StartContext> = {}): StartContext {
  let calls = 0;
  return {
    requestId: "test",
    model: { id: "default", parameters: [], isMax: false },
    conversationId: "conversation",
    state: undefined,
    estimatedTokens: 1,
    callable: [],
    record: [],
    blobs: memoryBlobs(),
    newCallId: () => `call_${++calls}`,
    ...rest,
  };
}

export function memoryBlobs(): BlobStorage {
  const blobs = new Map<string, Uint8Array>();
  const key = (id: Uint8Array) => Buffer.from(id).toString("hex");
  return { get: (id) => blobs.get(key(id)), put: (id, data) => void blobs.set(key(id), data) };
}
