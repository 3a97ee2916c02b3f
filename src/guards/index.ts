export { allowOrigins, answerPreflights, guardOrigin } from "./cors.js";
export { createKeyCheck, guardKey } from "./gateway-key.js";
export { asMiddleware, type Guard } from "./guard.js";
export { guardHost } from "./host.js";
export { requestAccounts, warnOfCredential } from "./pass-through.js";
