export { type EmbeddedStoreOptions, type OpenedStore, openEmbeddedStore } from "./embedded.js";
export { createMemoryStore } from "./memory.js";
export { openStore } from "./open-store.js";
export type { Checkpoint, Dropped, Store, StoredCall, StoreOptions, StoreStats } from "./store.js";
