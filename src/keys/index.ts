export { isKeyName, MAX_KEYS, makeKey, NAME_RULE, readKeys, type StoredKey, writeKeys } from "./key-file.js";
export { type Caller, KeyRing } from "./key-ring.js";
export { type KeyLimits, listLimits, MAX_COUNT, MAX_DOLLARS, type Span, spans, type Unit, units } from "./limits.js";
export { openKeys } from "./open-keys.js";
