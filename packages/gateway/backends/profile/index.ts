export { type Combinator, type FamilyRules, familyRules, type IdShape, readVendors, type Vendor } from "./families.js";
export {
  applyOverlay,
  builtInDefaults,
  builtInSdk,
  type LoadedProfile,
  loadProfile,
  mergeByKey,
  overlayPath,
  ProfileError,
} from "./load-profile.js";
export { NamePatterns } from "./name-patterns.js";
export type { CursorProfile } from "./schema.js";
