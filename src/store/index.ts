export { createMemoryStore } from "./memory.js";
export { openStore } from "./open-store.js";
export type { Checkpoint, Store, TurnStore } from "./store.js";
export { OverflowStore } from "./with-overflow.js";
