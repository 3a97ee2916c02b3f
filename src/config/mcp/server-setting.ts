/** Whose settings files MCP servers can be taken over from. */
export type ImportSource = "opencode" | "cursor" | "claude-code" | "claude-desktop";

/** One MCP server: a program that speaks on its standard streams, or an address. */
export interface McpServerSetting {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport?: "http" | "sse" | undefined;
  /** How long one call may take. */
  readonly timeoutMs?: number | undefined;
  /** Tools that are offered, all without it, and that are not; `*` stands for anything. */
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
}

export interface McpSettings {
  readonly servers?: Readonly<Record<string, McpServerSetting>> | undefined;
  readonly import?: readonly ImportSource[] | undefined;
}
