import type { ClaimedClient } from "../backend-parts.js";
import { checksum, clientKeyOf, machineIdsOf, sessionIdOf } from "./checksum.js";

interface ChatIdentity {
  readonly requestId: string;
  readonly nowMs: number;
  readonly checksum: string | undefined;
  readonly client: ClaimedClient;
}

/** The headers by which the desktop app identifies itself, because the calls belong to it (docs/protocol/wire.md, chat calls). */
export function desktopIdentity({ version }: ClaimedClient): Record<string, string> {
  return { "x-cursor-client-type": "ide", "x-cursor-client-version": version, "x-ghost-mode": "true" };
}

export function chatHeaders(token: string, { requestId, nowMs, ...set }: ChatIdentity): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    "content-type": "application/connect+proto",
    "connect-protocol-version": "1",
    "connect-accept-encoding": "gzip",
    "user-agent": set.client.userAgent,
    "x-client-key": clientKeyOf(token),
    "x-cursor-checksum": set.checksum ?? checksum(nowMs, machineIdsOf(token)),
    ...desktopIdentity(set.client),
    "x-cursor-streaming": "true",
    "x-cursor-timezone": Intl.DateTimeFormat().resolvedOptions().timeZone,
    "x-request-id": requestId,
    "x-session-id": sessionIdOf(token),
  };
}
