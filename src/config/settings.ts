import type { RegisteredBackend } from "../backends/registry.js";
import type { ImportSource, McpSettings } from "./mcp/server-setting.js";

/** What `--backend` may name. */
export type BackendChoice = "auto" | RegisteredBackend | "simulator";

/** How turns go to the Cursor CLI. */
export type CliMode = "auto" | "print" | "acp";

/** Which of the old chat calls to make; auto = the newer one, and the older where the server lacks that. */
export type ChatCallName = "auto" | "unified" | "stream-chat";

/** Where Curlew keeps its own credential; auto = the system's keychain if that works. */
export type CredentialStore = "auto" | "keychain" | "file";

/** Over which HTTP version the agent road goes; auto = as Cursor advises, and as the network lets it. */
export type TransportSetting = "auto" | "h2" | "h1";

export type LogLevel = "silent" | "fatal" | "error" | "warn" | "info" | "debug" | "trace";

/** Everything that can be set. What each means, where it may come from and what it must be: `schema.ts`. */
export interface Settings {
  host: string;
  port: number;
  backend: BackendChoice;
  /** Base URL of every call to Cursor. */
  backendUrl: string;
  /** Base URL of the agent stream alone, if it is another. */
  agentUrl: string | undefined;
  transport: TransportSetting;
  /** Proxies, which may hold a password, and the hosts that are reached without one. */
  httpsProxy: string | undefined;
  httpProxy: string | undefined;
  allProxy: string | undefined;
  noProxy: readonly string[];
  websiteUrl: string;
  clientVersion: string;
  apiKey: string | undefined;
  authToken: string | undefined;
  credentialStore: CredentialStore;
  /** Undefined only before it is worked out from Curlew's own folder. */
  credentialsFile: string | undefined;
  /** Whether requests bring their own credential for Cursor. */
  passThrough: boolean;
  /** What clients of the gateway must show. */
  key: string | undefined;
  keyFile: string | undefined;
  allowedHosts: readonly string[];
  corsOrigins: readonly string[];
  bodyLimitBytes: number;
  keepAliveMs: number;
  stallMs: number;
  silenceMs: number;
  heartbeatMs: number;
  graceMs: number;
  retries: number;
  logLevel: LogLevel;
  /** Identical tool calls with identical results that pass; 0 = any number. */
  toolLoopMaxRepeat: number;
  leaseMs: number;
  maxParkedRuns: number;
  quietMs: number;
  mapNativeTools: boolean;
  thinkTags: boolean;
  writtenCalls: boolean;
  cheapTitles: boolean;
  /** Where conversation state is kept; undefined only before it is worked out from Curlew's own folder. */
  stateFolder: string | undefined;
  stateMaxBytes: number;
  stateMaxDays: number;
  /** Undefined only before it is worked out from Curlew's own folder. */
  modelsFile: string | undefined;
  /** What clients may call a model, and which is meant. */
  modelAliases: Readonly<Record<string, string>>;
  maxMode: boolean;
  authCheckTimeoutMs: number;
  /** By the name of a model, in which `*` stands for anything. */
  routes: Readonly<Record<string, RegisteredBackend>>;
  /** Who may stand in for a road that fails before its first event. */
  fallback: readonly RegisteredBackend[];
  /** Where the Cursor CLI is, if not where it is looked for. */
  cliPath: string | undefined;
  cliMode: CliMode;
  cliIdleMs: number;
  cliToolWaitMs: number;
  /** Folders below which requests may name a workspace. */
  workspaceRoots: readonly string[];
  sdkPath: string | undefined;
  sdkNode: string | undefined;
  checksum: string | undefined;
  chatCall: ChatCallName;
  /** MCP servers whose tools the gateway runs, and whose files name more. */
  mcp: McpSettings;
  mcpImport: readonly ImportSource[];
}

export type SettingName = keyof Settings;
