export { newLineage } from "./key.js";
export { openStore } from "./lmdb/embedded.js";
export { createMemoryStore } from "./memory.js";
export type { Store, TurnStore } from "./store.js";
export { withOverflow } from "./with-overflow.js";
