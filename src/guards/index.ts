export { allowOrigins, guardOrigin } from "./cors.js";
export { createKeyCheck, guardKey } from "./gateway-key.js";
export { guardHost } from "./host.js";
export { requestAccounts } from "./pass-through.js";
