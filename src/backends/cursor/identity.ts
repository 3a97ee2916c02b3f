/** The identity that Cursor sees: one of its own clients, by type and version. */
export interface ClientIdentity {
  /** `cli-<date>-<hash>` or `sdk-<version>`; the part before the first dash is the client type. */
  version: string;
  /** The privacy setting of the account; true while it is not known. */
  ghostMode: boolean;
}

/** The user agent of the Connect library in Cursor's SDK, on all calls (docs/protocol/wire.md, headers). */
export const USER_AGENT = "connect-es/1.6.1";

export function identityHeaders({ version, ghostMode }: ClientIdentity): Record<string, string> {
  return {
    "x-cursor-client-type": clientType(version),
    "x-cursor-client-version": version,
    "x-ghost-mode": String(ghostMode),
  };
}

export function clientType(version: string): string {
  return version.split("-", 1)[0] ?? "cli";
}
