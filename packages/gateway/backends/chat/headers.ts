import { createHash } from "node:crypto";
import type { ClaimedClient } from "../backend-parts.js";

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

/** The time in the header is in units of 1,000 s (docs/protocol/older-descriptions.md, hosts, headers and versions). */
const UNIT_MS = 1_000_000;
/** The first value of the chain (docs/protocol/wire.md, chat calls). */
const SEED = 165;
/** RFC 4122's namespace for DNS names, from which the session id is made. */
const dnsNamespace = Buffer.from("6ba7b8109dad11d180b400c04fd430c8", "hex");

/** Makes `x-cursor-checksum` as Cursor's desktop app does. Machines without a network card have only the first id. */
export function checksum(nowMs: number, ids: { machineId: string; macMachineId?: string | undefined }): string {
  const { machineId, macMachineId } = ids;
  const prefix = scrambledTime(nowMs);
  return macMachineId === undefined ? prefix + machineId : `${prefix}${machineId}/${macMachineId}`;
}

/** Machine ids for an account on no particular machine. They are stable and reveal nothing of the token. */
export function machineIdsOf(token: string) {
  return { machineId: sha256(`${token}machineId`), macMachineId: sha256(`${token}macMachineId`) };
}

export function clientKeyOf(token: string): string {
  return sha256(token);
}

/** Makes `x-session-id`, a UUID of version 5. */
export function sessionIdOf(token: string): string {
  const bytes = createHash("sha1").update(dnsNamespace).update(token).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function scrambledTime(nowMs: number): string {
  const time = Math.floor(nowMs / UNIT_MS);
  let previous = SEED;
  // The app shifts by 40, 32, 24, 16, 8 and 0, and JavaScript takes shift counts modulo 32 (docs/protocol/older-descriptions.md,
  // hosts, headers and versions).
  const bytes = [8, 0, 24, 16, 8, 0].map((shift, index) => {
    previous = ((((time >> shift) & 0xff) ^ previous) + index) & 0xff;
    return previous;
  });
  return Buffer.from(bytes).toString("base64url");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
