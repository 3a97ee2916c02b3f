import { Code, type ConnectError } from "@connectrpc/connect";
import { ErrorDetails_Error } from "@curlew/wire/gen/aiserver_v1_pb.js";
import type { SimRequest } from "./node-http.js";
import { refusal } from "./refusal.js";
import type { TokenProblem, World } from "./world.js";

/** The reason why a call is refused before its body is read: the token is checked first, then the client's version. */
export function refuseCall(request: SimRequest, world: World): ConnectError | undefined {
  const token = world.checkToken(request.headers.authorization);
  if (!token.isValid) return badToken(token.reason);
  // Calls that a client makes while it starts have no version.
  const version = request.headers["x-cursor-client-version"];
  if (typeof version !== "string" || !world.options.deniedVersions.includes(version)) return undefined;
  return refusal(Code.PermissionDenied, ErrorDetails_Error.OUTDATED_CLIENT, {
    title: "Update Required",
    detail: "This version of the client is no longer supported. Please update to the latest version.",
  });
}

export function badToken(reason: TokenProblem): ConnectError {
  if (reason === "revoked") {
    return refusal(Code.Unauthenticated, ErrorDetails_Error.UNAUTHORIZED, {
      title: "Unauthorized",
      detail: "The user is unauthorized.",
    });
  }
  return refusal(Code.Unauthenticated, ErrorDetails_Error.NOT_LOGGED_IN, {
    title: "Not logged in",
    detail: `Please log in again: the access token is ${reason}.`,
  });
}
