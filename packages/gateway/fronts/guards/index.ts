export { allowOrigins, answerPreflights, guardOrigin, isOwnOrigin } from "./cors.js";
export {
  callerFinder,
  callerOf,
  guardKey,
  ownerFinder,
  requestAccounts,
  warnOfCredential,
} from "./gateway-key.js";
export { guardHost } from "./host.js";
export { KeyAttempts } from "./key-attempts.js";
