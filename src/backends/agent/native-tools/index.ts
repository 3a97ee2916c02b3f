export { mapNativeExec, nativeResults, takesWords } from "./map-native-exec.js";
export {
  type ArgsByCase,
  type ExecResultInit,
  execResult,
  NEUTRAL_FOLDER,
  type ResultTaking,
  withOutcome,
} from "./native-request.js";
