export { guardControl } from "./control-token.js";
export { allowOrigins, answerPreflights, guardOrigin } from "./cors.js";
export { callerFinder, callerOf, guardKey } from "./gateway-key.js";
export { asMiddleware, type Guard, type Identify } from "./guard.js";
export { guardHost } from "./host.js";
export { guardPage, guardPageSite, isPageOpen } from "./page.js";
export { requestAccounts, warnOfCredential } from "./pass-through.js";
