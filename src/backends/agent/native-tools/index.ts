export { mapNativeExec, nativeResults } from "./map-native-exec.js";
export { refusalReason } from "./refusal.js";
