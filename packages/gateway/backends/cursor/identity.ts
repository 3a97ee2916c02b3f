/** The identity that Cursor sees: one of its own clients, by type and version. */
export interface ClientIdentity {
  /** `cli-<date>-<hash>` or `sdk-<version>`; the part before the first dash is the client type. */
  version: string;
  userAgent: string;
  /** The privacy setting of the account; true while unknown. */
  ghostMode: boolean;
}

export function identityHeaders({ version, ghostMode }: Omit<ClientIdentity, "userAgent">): Record<string, string> {
  return {
    "x-cursor-client-type": clientType(version),
    "x-cursor-client-version": version,
    "x-ghost-mode": String(ghostMode),
  };
}

export function clientType(version: string): string {
  return version.split("-", 1)[0] ?? "cli";
}
