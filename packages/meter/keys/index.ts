export { MAX_COUNT, MAX_DOLLARS, type Span, type Unit, units } from "../spend/limits.js";
export {
  isKeyName,
  isKeyOf,
  type KeyLimits,
  listLimits,
  MAX_KEYS,
  makeKey,
  NAME_RULE,
  readKeys,
  type StoredKey,
  spans,
  writeKeys,
} from "./key-file.js";
export { KeyRing, openKeys } from "./key-ring.js";
