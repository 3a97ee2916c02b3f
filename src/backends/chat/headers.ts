import { checksum, clientKeyOf, machineIdsOf, sessionIdOf } from "./checksum.js";

/** The desktop app's, last seen to be answered at all. */
const BUILT_IN_VERSION = "3.10.20";

interface ChatIdentity {
  readonly requestId: string;
  readonly nowMs: number;
  readonly checksum: string | undefined;
  readonly clientVersion: string | undefined;
}

/** The calls belong to the desktop app, so that is what they must come from. */
export function desktopIdentity(version = BUILT_IN_VERSION): Record<string, string> {
  return { "x-cursor-client-type": "ide", "x-cursor-client-version": version, "x-ghost-mode": "true" };
}

export function chatHeaders(token: string, { requestId, nowMs, ...set }: ChatIdentity): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    "content-type": "application/connect+proto",
    "connect-protocol-version": "1",
    "connect-accept-encoding": "gzip",
    "user-agent": "connect-es/1.4.0",
    "x-client-key": clientKeyOf(token),
    "x-cursor-checksum": set.checksum ?? checksum(nowMs, machineIdsOf(token)),
    ...desktopIdentity(set.clientVersion),
    "x-cursor-streaming": "true",
    "x-cursor-timezone": Intl.DateTimeFormat().resolvedOptions().timeZone,
    "x-request-id": requestId,
    "x-session-id": sessionIdOf(token),
  };
}
