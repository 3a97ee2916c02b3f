import { USER_AGENT } from "../cursor/identity.js";
import { checksum, clientKeyOf, machineIdsOf, sessionIdOf } from "./checksum.js";

/** The last version of the desktop app that was reported to get answers (docs/protocol/wire.md, chat calls). */
const BUILT_IN_VERSION = "3.10.20";

interface ChatIdentity {
  readonly requestId: string;
  readonly nowMs: number;
  readonly checksum: string | undefined;
  readonly clientVersion: string | undefined;
}

/** The headers by which the desktop app identifies itself, because the calls belong to it. */
export function desktopIdentity(version = BUILT_IN_VERSION): Record<string, string> {
  return { "x-cursor-client-type": "ide", "x-cursor-client-version": version, "x-ghost-mode": "true" };
}

export function chatHeaders(token: string, { requestId, nowMs, ...set }: ChatIdentity): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    "content-type": "application/connect+proto",
    "connect-protocol-version": "1",
    "connect-accept-encoding": "gzip",
    "user-agent": USER_AGENT,
    "x-client-key": clientKeyOf(token),
    "x-cursor-checksum": set.checksum ?? checksum(nowMs, machineIdsOf(token)),
    ...desktopIdentity(set.clientVersion),
    "x-cursor-streaming": "true",
    "x-cursor-timezone": Intl.DateTimeFormat().resolvedOptions().timeZone,
    "x-request-id": requestId,
    "x-session-id": sessionIdOf(token),
  };
}
