import { mcpSettings } from "./mcp/mcp-settings.js";
import { aliases } from "./model-aliases.js";
import { quirks } from "./quirks.js";
import { group, setting } from "./setting.js";
import { list, oneOf, prices, text, wholeNumber, yesOrNo } from "./values.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const modelSettings = group("Models and tools", {
  modelAliases: setting({
    type: () => aliases(),
    default: {},
    about: "More names for models, such as `gpt-4=gpt-5.5:high`. An object in the file.",
    use: "common",
  }),
  strictModels: setting({
    type: () => yesOrNo(),
    default: false,
    about:
      "Refuse every model name that is neither in your account's list nor an alias of yours: [models.md](models.md#names-that-clients-have-built-in).",
    use: "rare",
  }),
  maxMode: setting({
    type: () => yesOrNo(),
    default: false,
    about: "Use max mode with every model that has it, not just for names that end in `:max`. It costs more.",
    use: "rare",
  }),
  prices: setting({
    type: () => prices(),
    default: {},
    about:
      "Your own prices for models, where Curlew's list has none or is out of date: [your-account.md](your-account.md#costs).",
    use: "rare",
    only: "file",
  }),
  webTools: setting({
    type: () => yesOrNo(),
    default: false,
    about: "Let the model search the web and read pages with Cursor's own tools, which run on Cursor's servers.",
    use: "rare",
  }),
  toolLoopMaxRepeat: setting({
    type: () => wholeNumber(0, 1_000),
    default: 2,
    env: ["TOOL_LOOP_MAX_REPEAT"],
    about: "How often a tool call may repeat with the same result before the turn is stopped; 0 means no limit.",
    use: "rare",
  }),
  disabledQuirks: setting({
    type: () => list(oneOf(quirks)),
    default: [],
    about:
      "Corrections to turn off: native-tools (Cursor's built-in tools become calls to the client's), written-calls (tool calls that a model writes as text become real calls), think-tags (`<think>` tags at the start of an answer become thinking), titles (a client's request for a title uses Cursor's naming call instead of a turn).",
    use: "rare",
  }),
  mcp: setting({
    type: () => mcpSettings(),
    default: {},
    about:
      "MCP servers whose tools Curlew runs itself (`servers`), and clients whose MCP servers it takes over (`import`): [mcp.md](mcp.md).",
    use: "common",
    only: "file",
    isSecret: true, // headers and variables of the servers
  }),
});

export const timeAndStorageSettings = group("Time limits and storage", {
  leaseMs: setting({
    type: () => wholeNumber(1_000, 24 * HOUR_MS),
    default: 15 * MINUTE_MS,
    about: "How long a run at Cursor stays open for the results of its tool calls.",
    use: "rare",
  }),
  confirmCold: setting({
    type: () => wholeNumber(0, 100_000_000),
    default: 0,
    about:
      "Refuse a turn once (status 428) if it would resend more tokens of its conversation than this; the next request passes. 0 never asks.",
    use: "rare",
  }),
  stallMs: setting({
    type: () => wholeNumber(1_000, 24 * HOUR_MS),
    default: 5 * MINUTE_MS,
    about: "Abort a turn after this long without progress; heartbeats don't count.",
    use: "rare",
  }),
  rejoinMs: setting({
    type: () => wholeNumber(0, 10 * MINUTE_MS),
    default: 15_000,
    about:
      "How long a reply continues for a client on another machine after its connection broke; the same request joins it again. 0 ends it at once.",
    use: "rare",
  }),
  stateFolder: setting({
    type: () => text("the path of a folder").optional(),
    default: undefined,
    about: "Folder for conversations. Default: `state` in Curlew's state folder.",
    use: "rare",
  }),
  stateMaxBytes: setting({
    type: () => wholeNumber(1_048_576, 1_099_511_627_776),
    default: 536_870_912,
    about: "How much conversation state to keep, in bytes.",
    use: "rare",
  }),
  ledgerDays: setting({
    type: () => wholeNumber(1, 3_650),
    default: 90,
    about: "How many days the ledger keeps requests and what they used.",
    use: "rare",
  }),
  ledgerTexts: setting({
    type: () => yesOrNo(),
    default: false,
    about: "Also keep the prompts and answers of the last 1,000 requests in the ledger.",
    use: "rare",
  }),
});
