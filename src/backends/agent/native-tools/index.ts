export { mapNativeExec, nativeResults } from "./map-native-exec.js";
export {
  type ArgsByCase,
  type ExecResultInit,
  execResult,
  type ResultTaking,
  withOutcome,
} from "./native-request.js";
export { refusalReason } from "./refusal.js";
export { NEUTRAL_FOLDER } from "./workspace.js";
