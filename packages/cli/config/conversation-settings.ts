import { mcpSettings } from "@curlew/gateway/core/tools/mcp/mcp-settings.js";
import { z } from "zod";
import { quirks } from "./constants.js";
import { group, optional, setting } from "./setting.js";
import { list, oneOf, pairs, prices, text, wholeNumber, yesOrNo } from "./values.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const modelSettings = group("Models and tools", {
  modelAliases: setting({
    type: () => aliases(),
    default: {},
    about: "More names for models, such as `gpt-4=gpt-5.5:high`. An object in the file.",
  }),
  strictModels: setting({
    type: () => yesOrNo(),
    default: false,
    about:
      "Refuse every model name that is neither in your account's list nor an alias of yours: [models.md](models.md#names-that-clients-have-built-in).",
  }),
  maxMode: setting({
    type: () => yesOrNo(),
    default: false,
    about: "Use max mode with every model that has it, not just for names that end in `:max`. It costs more.",
  }),
  prices: setting({
    type: () => prices(),
    default: {},
    about:
      "Your own prices for models, where Curlew's list has none or is out of date: [your-account.md](your-account.md#costs).",
    only: "file",
  }),
  webTools: setting({
    type: () => yesOrNo(),
    default: false,
    about: "Let the model search and read the web with tools on Cursor's servers, also for a vendor's `web_search`.",
  }),
  toolLoopMaxRepeat: setting({
    type: () => wholeNumber(0, 1_000),
    default: 2,
    env: ["TOOL_LOOP_MAX_REPEAT"],
    about: "How often a tool call may repeat with the same result before the turn is stopped; 0 means no limit.",
  }),
  disabledQuirks: setting({
    type: () => list(oneOf(quirks)),
    default: [],
    about:
      "Corrections to turn off: native-tools (Cursor's built-in tools become calls to the client's), written-calls (tool calls that a model writes as text become real calls), think-tags (`<think>` tags at the start of an answer become thinking), titles (a client's request for a title uses Cursor's naming call instead of a turn).",
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
  }),
  stallMs: setting({
    type: () => wholeNumber(1_000, 24 * HOUR_MS),
    default: 5 * MINUTE_MS,
    about: "Abort a turn after this long without progress; heartbeats don't count.",
  }),
  rejoinMs: setting({
    type: () => wholeNumber(0, 10 * MINUTE_MS),
    default: 15_000,
    about:
      "How long a reply continues for a client on another machine after its connection broke; the same request joins it again. 0 ends it at once.",
  }),
  stateFolder: optional({
    type: () => text("the path of a folder"),
    about: "Folder for conversations. Default: `state` in Curlew's state folder.",
  }),
  stateMaxBytes: setting({
    type: () => wholeNumber(1_048_576, 1_099_511_627_776),
    default: 536_870_912,
    about: "How much conversation state to keep, in bytes.",
  }),
  ledgerDays: setting({
    type: () => wholeNumber(1, 3_650),
    default: 90,
    about: "How many days the ledger keeps requests and what they used.",
  }),
  ledgerTexts: setting({
    type: () => yesOrNo(),
    default: false,
    about: "Also keep prompts and answers in the ledger.",
  }),
});

/** `alias=model, ...` as text, an object in the file. */
function aliases() {
  const must = "names and models such as gpt-4=gpt-5.5, separated by commas";
  return pairs(z.string(must).min(1, must), must).superRefine((given, context) => {
    const chain = chainIn(given);
    if (chain !== undefined) context.addIssue({ code: "custom", path: [chain.alias], message: chain.must });
  });
}

/** The first alias of an alias, and its replacement. Aliases are not followed, because they could form a cycle. */
function chainIn(given: Readonly<Record<string, string>>): { alias: string; must: string } | undefined {
  const targets = new Map(Object.entries(given).map(([alias, target]) => [alias.toLowerCase(), target]));
  for (const [alias, target] of Object.entries(given)) {
    const { name, options } = split(target);
    const next = targets.get(name.toLowerCase());
    if (next === undefined) continue;
    const inner = split(next);
    const leadsOn = targets.has(inner.name.toLowerCase());
    const instead = leadsOn
      ? `name a model in its place`
      : `write ${alias}=${inner.name}${options === "" ? inner.options : options}`;
    return { alias, must: `the name of a model, and ${name} is another alias: ${instead}` };
  }
  return undefined;
}

/** `cursor/opus:high` is the name `opus` with the options `:high`. */
function split(target: string): { readonly name: string; readonly options: string } {
  const [name = ""] = target.replace(/^cursor\//i, "").split(/[:[]/, 1);
  return { name, options: target.replace(/^cursor\//i, "").slice(name.length) };
}
