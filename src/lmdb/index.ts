export type { LmdbFolder } from "./lmdb-folder.js";
export { isDamage, type Lmdb, openLmdb, rootCause } from "./open-lmdb.js";
export { readLmdb } from "./read-lmdb.js";
