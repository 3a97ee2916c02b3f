import type { IncomingHttpHeaders } from "node:http";
import type { Account } from "../gateway/index.js";
import { bearerOf } from "./gateway-key.js";

/** Pass-through mode: what stands where clients put their API key is the caller's own credential for Cursor. */
export function requestAccounts(
  accountOfCredential: (credential: string) => Account,
): (headers: IncomingHttpHeaders) => Account | undefined {
  return (headers) => {
    const apiKey = headers["x-api-key"];
    const credential = bearerOf(headers) ?? (typeof apiKey === "string" ? apiKey.trim() : undefined);
    return credential ? accountOfCredential(credential) : undefined;
  };
}
