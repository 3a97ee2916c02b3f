import { flag, oneOf, oneOfOrCounted, type Rule, text, whole, words } from "./option-rule.js";

/** Everything a flag of `curlew simulate` sets, and `POST /__sim/config` while it runs. Same names, in camelCase. */
export interface SimulatorOptions {
  /**
   * Takes only what the protocol's own clients send. By default the simulator takes whatever clients that work with Cursor are known
   * to send (docs/protocol/other-clients.md).
   */
  strict: boolean;
  /** A set of defaults for other options. "live": what the official descriptors and reports from accounts say of the real server. */
  like: "plain" | "live";
  /** What the server config advises. With "h1", `Run` is refused, as Cursor's load balancer refuses it. */
  transport: "h2" | "h1";
  /** The agent host that the server config names. "": the host that the request was sent to, over plain HTTP. */
  agentUrl: string;
  /** Silence before the first event of a run. */
  bootstrapMs: number;
  heartbeatMs: number;
  /** Pause between two deltas; 0 = as fast as the reader allows. */
  deltaMs: number;
  /** Pause between the parallel calls of a batch. */
  callGapMs: number;
  /** SETTINGS_MAX_CONCURRENT_STREAMS; 0 = Node's default. */
  maxStreams: number;
  /** SETTINGS_INITIAL_WINDOW_SIZE; 0 = Node's default. */
  window: number;
  /** Compresses every frame, whatever the client accepts. */
  gzip: boolean;
  /** Sends the time at which a run began beside each of its updates (`message_started_at_ms`). */
  messageTimes: boolean;
  /** Sends the number of calls before each batch of them (`tool_requests_listed`). */
  callCounts: boolean;
  /** Sends unknown fields and unknown requests now and then, as a newer server would. */
  drift: boolean;
  /** Ends a run without a user message at once and without text, as some models do after results. */
  emptyResumes: boolean;
  /** Offers the model the tools of a conversation's first run in all its runs, and ignores those of later ones. */
  staleTools: boolean;
  /** Requests every blob of the conversation again in each run. */
  forgetBlobs: boolean;
  /** Caches blobs for all conversations together, not per conversation. */
  sharedBlobs: boolean;
  /** Stores blobs that the client already has again, by id alone, without data. */
  blobReferences: boolean;
  /** Asks for approval before each client tool call. */
  approvals: boolean;
  /** The only accepted shape of model names, for models that have several. */
  modelIds: "any" | "parameters" | "slug" | "base" | "variant";
  /** The bare error for a name in another shape. */
  modelIdError: "not-found" | "resource-exhausted";
  /** Refuses `anyOf`, `oneOf` and `allOf` in schemas of tools, for the models whose provider does that. */
  refuseCombinators: boolean;
  /** Refuses runs of a conversation from then on in which a run has ended, or another has begun, while a call of it was unanswered. */
  refuseReusedIds: boolean;
  /**
   * What follows the end of a turn. "open": the checkpoints, but never the end of the stream; "open-bare": nothing; "goaway": the
   * checkpoints, then a GOAWAY without an error and the end of the connection.
   */
  turnEnd: "closed" | "open" | "open-bare" | "goaway";
  /** The outcome of a run whose client lacks a blob. "blank": it continues without its history. */
  missingBlob: "named" | "internal" | "failed-precondition" | "blank";
  /** Names a blob that the client never got in every checkpoint. */
  lostBlobs: boolean;
  /** Uses one of Cursor's own tools first in a run without a user message. */
  nativeResumes: boolean;
  /** Whether the account is served here. "silent": a run gets the status 200 and the end of its stream; "refused": an error in words. */
  region: "served" | "silent" | "refused";
  /** Resets a run with more inline history, in place of blob ids, in its request; 0 = no limit. */
  maxInlineBytes: number;
  /** Tokens of Cursor's own prompt and tools in every model call. Seen: 20152 with cursor-agent, 46946 with the SDK. */
  tokenFloor: number;
  /**
   * Withholds the descriptions and schemas of the client's tools from the model, which then knows them only from its rules. "reported":
   * from the models alone that people with accounts have seen it with.
   */
  dynamicTools: boolean | "reported";
  /** How text injected during a run is handled. */
  steering: "ignored" | "delivered" | "rejected";
  /** Lifetime of the tokens that an API key is exchanged for; 0 = expired from the start. */
  tokenTtlSeconds: number;
  /** Lifetime of the tokens of a browser login. */
  sessionTtlSeconds: number;
  /**
   * The outcome of a browser login. "wait": only `POST /api/auth/loginDeepCallbackControl` approves it; "error-N": the next N
   * polls answer 500; "no-post": an old server without `POST /auth/poll`; "half": approved, but a token is missing.
   */
  login: "approve" | "deny" | "wait" | "error" | "no-post" | "half" | `error-${number}`;
  /** "fail-N": the next N exchanges answer 500. */
  exchange: "ok" | "refuse" | `fail-${number}`;
  /** Renewal of sessions. "fail-N": the next N answer 500; "refuse": every session is dead. */
  refresh: "ok" | "refuse" | `fail-${number}`;
  /** Making API keys from a session; a team may forbid it. */
  mint: "ok" | "refuse";
  legacy: "working" | "retired" | "hanging";
  /** The layouts of `x-cursor-checksum` that the legacy calls accept: "strict" is the desktop client's alone. */
  checksum: "lax" | "strict";
  /** The shape of the usage report, which differs by account. "other-used-up": only Cursor's own models still answer; "unavailable": the report fails. */
  usage: "full" | "free" | "no-plan" | "unlimited" | "on-demand" | "strings" | "other-used-up" | "unavailable";
  /** How long the simulator waits for an answer that the protocol demands before it ends the run with an error. */
  patienceMs: number;
  /** Client versions that get "Update Required", besides those of the wrong shape. */
  deniedVersions: readonly string[];
  privacyMode: 0 | 1 | 2 | 3 | 4;
  /** For `serve --or-simulate`: without directives, announces the simulation in every answer and calls no tools. */
  fallback: boolean;
}

/** An unknown name or an invalid value; the message says which, and what is allowed. */
export class InvalidOption extends Error {
  override readonly name = "InvalidOption";
}

/** Node's timers turn anything longer into 1 ms. */
const MAX_MS = 2_147_483_647;
/** The largest window in HTTP/2. */
const MAX_WINDOW = 2_147_483_647;

interface Option<Value> {
  readonly rule: Rule<Value>;
  readonly usual: Value;
  /** Placeholder of the value in help; empty for a flag. */
  readonly hint: string;
  readonly about: string;
}

function option<Value>(rule: Rule<Value>, usual: NoInfer<Value>, hint: string, about: string): Option<Value> {
  return { rule, usual, hint, about };
}

function off(about: string): Option<boolean> {
  return option(flag(), false, "", about);
}

/** Off as well, but `like` may turn it on, so the flag can turn it off. */
function onOff(about: string): Option<boolean> {
  return option(flag(), false, "true|false", about);
}

/** The first choice is the default. */
function first<const Choice extends string>(choices: readonly [Choice, ...Choice[]], about: string): Option<Choice> {
  return option(oneOf<Choice>(...choices), choices[0], choices.join("|"), about);
}

const amount = whole(0, Number.MAX_SAFE_INTEGER);
const okOrFails = oneOfOrCounted(["ok", "refuse"], "fail");

/** How each option is read, and its help. */
export const optionTable: { readonly [Name in keyof SimulatorOptions]: Option<SimulatorOptions[Name]> } = {
  strict: off("Accept only what Cursor's own clients send"),
  like: first(["plain", "live"], "live = sets other options as Cursor is said to behave"),
  transport: first(["h2", "h1"], "Transport that its server config advises; h1 refuses Run"),
  agentUrl: option(text(), "", "url", "Agent host that its server config names, instead of the host of the request"),
  bootstrapMs: option(whole(0, MAX_MS), 0, "ms", "Silence before the first event of a run"),
  heartbeatMs: option(whole(1, MAX_MS), 5_000, "ms", "Pause between two heartbeats of a run"),
  deltaMs: option(whole(0, MAX_MS), 0, "ms", "Pause between two deltas; 0 = as fast as the reader allows"),
  callGapMs: option(whole(0, MAX_MS), 0, "ms", "Pause between the parallel calls of a batch"),
  maxStreams: option(whole(0, MAX_WINDOW), 0, "n", "HTTP/2 streams at once on a connection; 0 = Node's default"),
  window: option(whole(0, MAX_WINDOW), 0, "bytes", "HTTP/2 window of a stream; 0 = Node's default"),
  gzip: off("Compress every frame"),
  messageTimes: onOff("Send the time at which a run began beside each of its updates"),
  callCounts: onOff("Send the number of calls before each batch of them"),
  drift: off("Add unknown fields and unknown requests, as from a newer server"),
  emptyResumes: off("Answer nothing to a run without a user message"),
  staleTools: off("Offer the model the tools of a conversation's first run in all its runs"),
  forgetBlobs: off("Request every blob of the conversation again in each run"),
  sharedBlobs: off("Cache blobs for all conversations together, not per conversation"),
  blobReferences: off("Store blobs that the client already has again, by id alone"),
  approvals: off("Ask for approval before each client tool call"),
  modelIds: first(
    ["any", "parameters", "slug", "base", "variant"],
    "The only accepted shape of model names; variant = a slug that is marked as one",
  ),
  modelIdError: first(["not-found", "resource-exhausted"], "The bare error for a name in another shape"),
  refuseCombinators: off("Refuse anyOf, oneOf and allOf in tool schemas on Fable models"),
  refuseReusedIds: onOff("Refuse a conversation id after an unanswered call"),
  turnEnd: first(
    ["closed", "open", "open-bare", "goaway"],
    "Whether the stream ends after a turn; bare = no checkpoint either; goaway = the connection ends",
  ),
  missingBlob: first(["named", "internal", "failed-precondition", "blank"], "Outcome of a run that lacks a blob"),
  lostBlobs: off("Name a blob that the client never got in every checkpoint"),
  nativeResumes: off("Use Cursor's own tools first in a run without a user message"),
  region: first(["served", "silent", "refused"], "Whether accounts are served here; silent = the stream ends at once"),
  maxInlineBytes: option(amount, 0, "bytes", "Reset a run with more inline history in its request; 0 = no limit"),
  tokenFloor: option(
    whole(0, 1_000_000),
    0,
    "tokens",
    "Cursor's own part of every prompt; seen: 20152 (CLI), 46946 (SDK)",
  ),
  dynamicTools: option(
    oneOf<SimulatorOptions["dynamicTools"]>(true, false, "reported"),
    false,
    "true|false|reported",
    "Withhold descriptions and schemas of the client's tools from the model; reported = from some models",
  ),
  steering: first(["ignored", "delivered", "rejected"], "How text injected during a run is handled"),
  tokenTtlSeconds: option(amount, 3_600, "seconds", "Lifetime of the tokens that an API key is exchanged for"),
  sessionTtlSeconds: option(amount, 60 * 24 * 3_600, "seconds", "Lifetime of the tokens of a browser login"),
  login: option(
    oneOfOrCounted(["approve", "deny", "wait", "error", "no-post", "half"], "error"),
    "approve",
    "approve|deny|wait|error|error-N|no-post|half",
    "Outcome of a browser login",
  ),
  exchange: option(okOrFails, "ok", "ok|refuse|fail-N", "Outcome of a key exchange; fail-N = the next N answer 500"),
  refresh: option(okOrFails, "ok", "ok|refuse|fail-N", "Outcome of renewing a session; fail-N = the next N answer 500"),
  mint: first(["ok", "refuse"], "Outcome of creating an API key from a session"),
  legacy: option(
    oneOf("working", "retired", "hanging"),
    "retired",
    "working|retired|hanging",
    "How the old chat calls behave",
  ),
  checksum: first(["lax", "strict"], "Checksum layouts that the old chat calls accept"),
  usage: option(
    oneOf("full", "free", "no-plan", "unlimited", "on-demand", "strings", "other-used-up", "unavailable"),
    "full",
    "shape",
    "Usage report: full, free, no-plan, unlimited, on-demand, strings, unavailable, or other-used-up (only Cursor's own models answer)",
  ),
  patienceMs: option(whole(1, MAX_MS), 60_000, "ms", "Time limit for an answer that the protocol requires"),
  deniedVersions: option(words(), [], "a,b", "Client versions that must update"),
  privacyMode: option(oneOf(0, 1, 2, 3, 4), 1, "0..4", "Privacy mode of the account"),
  fallback: off("Without directives, announce the simulation in every answer and call no tools"),
};

const optionNames = Object.keys(optionTable) as (keyof SimulatorOptions)[];

// Every option is a row of the table.
export const defaultOptions = Object.fromEntries(
  optionNames.map((name) => [name, optionTable[name].usual]),
) as unknown as SimulatorOptions;

const live = {
  messageTimes: true,
  callCounts: true,
  refuseReusedIds: true,
  tokenFloor: 20_152,
  dynamicTools: "reported",
} as const satisfies Partial<SimulatorOptions>;

/** The values that `like` sets, where they are not given. */
const presets = {
  live,
  plain: Object.fromEntries(Object.keys(live).map((name) => [name, optionTable[name as keyof typeof live].usual])),
};

/** `tokenTtlSeconds` -> `token-ttl`: flags have no unit. */
export function flagOf(name: string): string {
  return name.replace(/-?Seconds$/i, "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * Reads options from flags, a scenario file or `POST /__sim/config`. Names may be in camelCase or in the form of flags; numbers
 * and booleans may be text, as on a command line. Undefined values are ignored. `like` adds those of its set that are not given.
 * @throws InvalidOption for an unknown name or an invalid value.
 */
export function parseOptions(input: unknown): Partial<SimulatorOptions> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new InvalidOption(`Options must be an object such as {"deltaMs": 20}, not ${shown(input)}.`);
  }
  const options: Partial<SimulatorOptions> = {};
  for (const [given, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const name = optionName(given);
    if (name === undefined) {
      throw new InvalidOption(`Unknown option "${given}". The options are: ${optionNames.join(", ")}.`);
    }
    const read = optionTable[name].rule.read(value);
    if (read === undefined) {
      throw new InvalidOption(`The option "${given}" takes ${optionTable[name].rule.wants}, not ${shown(value)}.`);
    }
    Object.assign(options, { [name]: read });
  }
  return options.like === undefined ? options : { ...presets[options.like], ...options };
}

function optionName(given: string): keyof SimulatorOptions | undefined {
  const flag = flagOf(given);
  return optionNames.find((name) => flagOf(name) === flag);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
