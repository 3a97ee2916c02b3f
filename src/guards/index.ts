export { allowOrigins, answerPreflights, guardOrigin, guardPage, guardPageSite, isPageOpen } from "./cors.js";
export {
  callerFinder,
  callerOf,
  guardControl,
  guardKey,
  ownerFinder,
  requestAccounts,
  warnOfCredential,
} from "./gateway-key.js";
export { guardHost } from "./host.js";
export { KeyAttempts } from "./key-attempts.js";
