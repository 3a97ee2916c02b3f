import { registeredBackends } from "../backends/registry.js";
import { setting } from "./setting-spec.js";
import { folder, list, oneOf, pairs, text, wholeNumber } from "./values.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Which road a turn takes, and what belongs to one road alone. */
export const backendSettings = {
  routes: setting({
    schema: () => pairs(oneOf(registeredBackends), "models and backends such as gpt-5*=cli, separated by commas"),
    env: ["CURLEW_ROUTES"],
    about: "Models that go another road, such as `gpt-5*=cli`; the first that fits counts. An object in the file.",
    default: {},
  }),
  fallback: setting({
    schema: () => list(oneOf(registeredBackends)),
    env: ["CURLEW_FALLBACK"],
    about: "Backends that stand in, in this order, for one that fails before its first word; none by default.",
    default: [],
  }),
  cliPath: setting({
    schema: () => text("the path of the Cursor CLI").optional(),
    env: ["CURLEW_CLI_PATH"],
    about: "Where the Cursor CLI is; by default `cursor-agent`, else Cursor's `agent`, on the PATH.",
    default: undefined,
  }),
  cliMode: setting({
    schema: () => oneOf(["auto", "print", "acp"]),
    env: ["CURLEW_CLI_MODE"],
    about: "How turns go to the Cursor CLI: auto (over ACP if they have tools or images), print or acp.",
    default: "auto",
  }),
  cliIdleMs: setting({
    schema: () => wholeNumber(1_000, 24 * HOUR_MS),
    env: ["CURLEW_CLI_IDLE_MS"],
    about: "How long the Cursor CLI may say nothing, while it runs no tool, before a turn is ended.",
    default: 2 * MINUTE_MS,
  }),
  cliToolWaitMs: setting({
    schema: () => wholeNumber(1_000, HOUR_MS),
    env: ["CURLEW_CLI_TOOL_WAIT_MS"],
    about:
      "How long the Cursor CLI waits for one of your client's tools before it is told to ask for the result again.",
    default: 50_000,
  }),
  workspaceRoots: setting({
    schema: () => list(folder()),
    env: ["CURLEW_WORKSPACE_ROOTS"],
    about: "Folders below which a request may name its workspace (`x-curlew-workspace`); none by default.",
    default: [],
  }),
  sdkPath: setting({
    schema: () => text("the folder or the file of @cursor/sdk").optional(),
    env: ["CURLEW_SDK_PATH"],
    about: "Where `@cursor/sdk` is installed; by default looked for from the working folder and from Curlew's own.",
    default: undefined,
  }),
  sdkNode: setting({
    schema: () => text("the path of a Node 22.13 or newer").optional(),
    env: ["CURLEW_SDK_NODE"],
    about: "The Node that runs `@cursor/sdk`, 22.13 or newer; by default Curlew's own, else one that is found.",
    default: undefined,
  }),
  checksum: setting({
    schema: () => text("the checksum header of a Cursor desktop client").optional(),
    env: ["CURSOR_CHECKSUM"],
    about: "Checksum for Cursor's retired chat calls. Without effect on the agent road, which needs none.",
    default: undefined,
    isSecret: true,
  }),
  chatCall: setting({
    schema: () => oneOf(["auto", "unified", "stream-chat"]),
    env: ["CURLEW_CHAT_CALL"],
    about:
      "Which of Cursor's retired chat calls to make: auto (the newer, and the older where the server lacks that), unified or stream-chat.",
    default: "auto",
  }),
};
