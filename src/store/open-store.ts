import { type EmbeddedStoreOptions, type OpenedStore, openEmbeddedStore } from "./lmdb/embedded.js";
import { createMemoryStore } from "./memory.js";

/** On disk where that is possible, else in memory: the gateway works either way, conversations just end with the process. */
export async function openStore(options: EmbeddedStoreOptions): Promise<OpenedStore> {
  try {
    return await openEmbeddedStore(options);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const { folder, maxBytes, ...rest } = options;
    return {
      store: createMemoryStore(rest),
      warnings: [`Conversation state is kept in memory only: ${folder} cannot be used (${reason}).`],
    };
  }
}
