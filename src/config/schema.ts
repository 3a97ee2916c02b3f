import { registeredBackends } from "../backends/registry.js";
import { backendSettings } from "./backend-settings.js";
import { BUILT_IN_VERSION } from "./client-version.js";
import { importSources, mcpSettings } from "./mcp/mcp-settings.js";
import { networkSettings } from "./network-settings.js";
import { setting } from "./setting-spec.js";
import {
  aliases,
  baseUrl,
  clientVersion,
  gatewayKey,
  host,
  hostName,
  list,
  oneOf,
  origin,
  text,
  token,
  wholeNumber,
  yesOrNo,
} from "./values.js";
import { withoutUser } from "./web-cookie.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Everything that can be set: what it means, where it may come from and what it must be. */
export const schema = {
  host: setting({
    schema: () => host(),
    env: ["HOST"],
    about: "Address to listen on. Anything but loopback needs a gateway key.",
    default: "127.0.0.1",
  }),
  port: setting({
    schema: () => wholeNumber(0, 65_535),
    env: ["PORT"],
    about: "Port to listen on; 0 takes a free one.",
    default: 32_124,
  }),
  backend: setting({
    schema: () => oneOf(["auto", ...registeredBackends, "simulator"]),
    env: ["CURLEW_BACKEND"],
    about: `Road to Cursor: auto, ${registeredBackends.join(", ")} or simulator.`,
    default: "auto",
  }),
  backendUrl: setting({
    schema: () => baseUrl(),
    env: ["CURSOR_BACKEND_URL", "CURSOR_URL"],
    about: "Base URL of every call to Cursor.",
    default: "https://api2.cursor.sh",
  }),
  agentUrl: setting({
    schema: () => baseUrl().optional(),
    env: ["CURSOR_AGENT_URL"],
    about:
      "Base URL of the agent stream alone; without it, where Cursor says, or where all other calls go if `backendUrl` is set.",
    default: undefined,
  }),
  ...networkSettings,
  websiteUrl: setting({
    schema: () => baseUrl(),
    env: ["CURSOR_WEBSITE_URL"],
    about: "Where Cursor's sign-in page is.",
    default: "https://cursor.com",
  }),
  clientVersion: setting({
    schema: () => clientVersion(),
    env: ["CURSOR_CLIENT_VERSION"],
    about:
      "Client version told to Cursor; without it, that of the Cursor CLI on this machine, else a built-in one. Raise it when Cursor wants an update. A version of the desktop app (`3.10.20`) is for the old chat calls alone.",
    default: BUILT_IN_VERSION,
  }),
  apiKey: setting({
    schema: () => token().optional(),
    env: ["CURSOR_API_KEY"],
    about: "Your Cursor user API key (`crsr_...`).",
    default: undefined,
    isSecret: true,
  }),
  authToken: setting({
    schema: () => token().transform(withoutUser).optional(),
    env: ["CURSOR_AUTH_TOKEN", "CURSOR_ACCESS_TOKEN"],
    about: "An access token used as it is, without renewal; an API key wins over it.",
    default: undefined,
    isSecret: true,
  }),
  credentialStore: setting({
    schema: () => oneOf(["auto", "keychain", "file"]),
    env: ["CURLEW_CREDENTIAL_STORE"],
    about: "Where `curlew login` keeps its credential: auto (the system's keychain if that works), keychain or file.",
    default: "auto",
  }),
  credentialsFile: setting({
    schema: () => text("the path of a file").optional(),
    env: ["CURLEW_CREDENTIALS_FILE"],
    about: "File of Curlew's own credential; by default `credentials.json` beside curlew.json.",
    default: undefined,
  }),
  passThrough: setting({
    schema: () => yesOrNo(),
    env: ["CURLEW_PASS_THROUGH"],
    about: "Use what a request brings as its API key for Cursor itself; the gateway key then comes as `x-curlew-key`.",
    default: false,
  }),
  key: setting({
    schema: () => gatewayKey().optional(),
    env: ["CURLEW_KEY"],
    about: "What clients must show as Bearer or `x-api-key`.",
    default: undefined,
    isSecret: true,
  }),
  keyFile: setting({
    schema: () => text("the path of a file").optional(),
    env: ["CURLEW_KEY_FILE"],
    about: "File that holds the gateway key; other users must not be able to read it.",
    default: undefined,
  }),
  allowedHosts: setting({
    schema: () => list(hostName()),
    env: ["CURLEW_ALLOWED_HOSTS"],
    about: "Further names that the Host header may have, such as the one of your reverse proxy.",
    default: [],
  }),
  corsOrigins: setting({
    schema: () => list(origin()),
    env: ["CURLEW_CORS_ORIGINS"],
    about: "Web origins whose pages may call the gateway.",
    default: [],
  }),
  bodyLimitBytes: setting({
    schema: () => wholeNumber(1_024, 1_073_741_824),
    env: ["CURLEW_BODY_LIMIT_BYTES"],
    about: "Largest request body.",
    default: 33_554_432,
  }),
  keepAliveMs: setting({
    schema: () => wholeNumber(1_000, HOUR_MS),
    env: ["CURLEW_KEEP_ALIVE_MS"],
    about: "Silence on a streamed answer before a keep-alive comment is sent.",
    default: 15_000,
  }),
  stallMs: setting({
    schema: () => wholeNumber(1_000, 24 * HOUR_MS),
    env: ["CURLEW_STALL_MS"],
    about: "How long Cursor may go without progress (heartbeats are none) before a turn is ended.",
    default: 5 * MINUTE_MS,
  }),
  silenceMs: setting({
    schema: () => wholeNumber(1_000, HOUR_MS),
    env: ["CURLEW_SILENCE_MS"],
    about: "How long Cursor may send nothing at all before its stream counts as dead.",
    default: 30_000,
  }),
  heartbeatMs: setting({
    schema: () => wholeNumber(500, MINUTE_MS),
    env: ["CURLEW_HEARTBEAT_MS"],
    about: "Pause between two heartbeats to Cursor.",
    default: 5_000,
  }),
  graceMs: setting({
    schema: () => wholeNumber(0, HOUR_MS),
    env: ["CURLEW_GRACE_MS"],
    about: "Time that running answers get when the gateway is asked to stop.",
    default: 10_000,
  }),
  retries: setting({
    schema: () => wholeNumber(0, 3),
    env: ["CURLEW_RETRIES"],
    about: "How often a turn is tried again when it fails before its first word.",
    default: 3,
  }),
  logLevel: setting({
    schema: () => oneOf(["silent", "fatal", "error", "warn", "info", "debug", "trace"]),
    env: ["CURLEW_LOG_LEVEL"],
    about: "How much is logged: silent, fatal, error, warn, info, debug or trace.",
    default: "info",
  }),
  toolLoopMaxRepeat: setting({
    schema: () => wholeNumber(0, 1_000),
    env: ["TOOL_LOOP_MAX_REPEAT"],
    about: "How often a tool call may be repeated with the same result before the turn is stopped; 0 is without limit.",
    default: 2,
  }),
  leaseMs: setting({
    schema: () => wholeNumber(1_000, 24 * HOUR_MS),
    env: ["CURLEW_LEASE_MS"],
    about: "How long a run at Cursor is kept open for the results of its tool calls.",
    default: 15 * MINUTE_MS,
  }),
  maxParkedRuns: setting({
    schema: () => wholeNumber(1, 100_000),
    env: ["CURLEW_MAX_PARKED_RUNS"],
    about:
      "How many runs at Cursor may be kept open for the results of their tool calls; beyond it the oldest is let go.",
    default: 256,
  }),
  quietMs: setting({
    schema: () => wholeNumber(0, MINUTE_MS),
    env: ["CURLEW_QUIET_MS"],
    about: "Wait for further parallel tool calls where Cursor does not say how many there are.",
    default: 250,
  }),
  mapNativeTools: setting({
    schema: () => yesOrNo(),
    env: ["CURLEW_MAP_NATIVE_TOOLS"],
    about: "Turn calls of Cursor's built-in tools into calls of the client's equivalent tools; else they are refused.",
    default: true,
  }),
  thinkTags: setting({
    schema: () => yesOrNo(),
    env: ["CURLEW_THINK_TAGS"],
    about: "Treat text in <think> tags at the beginning of an answer as thinking.",
    default: true,
  }),
  writtenCalls: setting({
    schema: () => yesOrNo(),
    env: ["CURLEW_WRITTEN_CALLS"],
    about: "Make tool calls of what a model writes as text instead of calling, if it names an offered tool exactly.",
    default: true,
  }),
  cheapTitles: setting({
    schema: () => yesOrNo(),
    env: ["CURLEW_CHEAP_TITLES"],
    about: "Answer a client's request for a conversation title by Cursor's own naming call instead of a turn.",
    default: true,
  }),
  stateFolder: setting({
    schema: () => text("the path of a folder").optional(),
    env: ["CURLEW_STATE_FOLDER"],
    about: "Where conversation state is kept; by default the folder `state` beside curlew.json.",
    default: undefined,
  }),
  stateMaxBytes: setting({
    schema: () => wholeNumber(1_048_576, 1_099_511_627_776),
    env: ["CURLEW_STATE_MAX_BYTES"],
    about: "How much conversation state is kept.",
    default: 536_870_912,
  }),
  stateMaxDays: setting({
    schema: () => wholeNumber(1, 3_650),
    env: ["CURLEW_STATE_MAX_DAYS"],
    about: "How long conversation state is kept after its last use.",
    default: 30,
  }),
  modelsFile: setting({
    schema: () => text("the path of a file").optional(),
    env: ["CURLEW_MODELS_FILE"],
    about: "Where the list of models is kept between starts; by default `models.json` beside curlew.json.",
    default: undefined,
  }),
  modelAliases: setting({
    schema: () => aliases(),
    env: ["CURLEW_MODEL_ALIASES"],
    about: "Further names for models, such as `gpt-4=gpt-5.5:high`; an object in the file.",
    default: {},
  }),
  maxMode: setting({
    schema: () => yesOrNo(),
    env: ["CURLEW_MAX_MODE"],
    about: "Ask for max mode with every model that has it, not only with `:max` behind a name. It costs more.",
    default: false,
  }),
  authCheckTimeoutMs: setting({
    schema: () => wholeNumber(100, 10 * MINUTE_MS),
    env: ["CURSOR_ACP_AUTH_CHECK_TIMEOUT"],
    about: "How long `curlew status` waits for Cursor's word on your credential, or for the Cursor CLI's on its login.",
    default: 5_000,
  }),
  ...backendSettings,
  mcp: setting({
    schema: () => mcpSettings(),
    env: [],
    about: "MCP servers whose tools Curlew runs itself: [mcp.md](mcp.md).",
    default: {},
    isFileOnly: true,
  }),
  mcpImport: setting({
    schema: () => list(oneOf(importSources)),
    env: ["CURLEW_MCP_IMPORT"],
    about: `Whose files name further MCP servers: ${importSources.join(", ")}. In the file also \`mcp.import\`.`,
    default: [],
  }),
};

export type SettingName = keyof typeof schema;

export const settingNames = Object.keys(schema) as SettingName[];

/** `bodyLimitBytes` -> `body-limit-bytes` */
export function flagName(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
