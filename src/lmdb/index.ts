export { isDamage, type Lmdb, openLmdb, rootCause } from "./open-lmdb.js";
