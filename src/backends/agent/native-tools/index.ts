export { mapNativeExec, nativeResults } from "./map-native-exec.js";
export type { ArgsByCase } from "./native-request.js";
export { refusalReason } from "./refusal.js";
export { NEUTRAL_FOLDER } from "./workspace.js";
