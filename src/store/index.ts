export { createMemoryStore } from "./memory.js";
export { openStore } from "./open-store.js";
export type { Checkpoint, Store } from "./store.js";
export { withOverflow } from "./with-overflow.js";
