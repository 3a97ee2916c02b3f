export { newLineage } from "./key.js";
export type { Store, TurnStore } from "./lineage-store.js";
export { openStore } from "./lmdb/embedded.js";
export { createMemoryStore } from "./memory.js";
export { withOverflow } from "./with-overflow.js";
