import { flag, oneOf, oneOfOrCounted, type Rule, whole, words } from "./option-rule.js";

/** Everything a flag of `curlew simulate` sets, and `POST /__sim/config` while it runs. Same names, in camelCase. */
export interface SimulatorOptions {
  /**
   * Takes only what the protocol's own clients send. By default the simulator takes whatever clients that work with Cursor are known
   * to send (docs/protocol/other-clients.md).
   */
  strict: boolean;
  /** What the server config advises. With "h1", `Run` is refused, as Cursor's load balancer refuses it. */
  transport: "h2" | "h1";
  /** Silence before the first event of a run. */
  bootstrapMs: number;
  heartbeatMs: number;
  /** Pause between two deltas; 0 = as fast as the reader allows. */
  deltaMs: number;
  /** SETTINGS_MAX_CONCURRENT_STREAMS; 0 = Node's default. */
  maxStreams: number;
  /** SETTINGS_INITIAL_WINDOW_SIZE; 0 = Node's default. */
  window: number;
  /** Compresses every frame, whatever the client accepts. */
  gzip: boolean;
  /** Sends unknown fields and unknown requests now and then, as a newer server would. */
  drift: boolean;
  /** Ends a run that was started without a message of the user at once, with nothing said, as some models do after results. */
  emptyResumes: boolean;
  /** Offers the model the tools of a conversation's first run in all its runs, whatever later runs bring. */
  staleTools: boolean;
  /** Requests every blob of the conversation again in each run. */
  forgetBlobs: boolean;
  /** Whether blobs are remembered for all conversations together, and not for each by itself. */
  sharedBlobs: boolean;
  /** Names blobs that the client has already by their id, without data, when they are to be stored again. */
  blobReferences: boolean;
  /** Asks before each call of a client's tool whether it may be made. */
  approvals: boolean;
  /** The only shape in which names of models are taken, for models that have several. */
  modelIds: "any" | "parameters" | "slug" | "base";
  /** The bare error that a name in another shape gets. */
  modelIdError: "not-found" | "resource-exhausted";
  /** Refuses `anyOf`, `oneOf` and `allOf` in schemas of tools, for the models whose provider does that. */
  refuseCombinators: boolean;
  /** Refuses further runs of a conversation in which a run has ended with an unanswered call. */
  refuseReusedIds: boolean;
  /**
   * What follows the end of a turn. "open": the checkpoints, but never the end of the stream; "open-bare": nothing; "goaway": the
   * checkpoints, then a GOAWAY without an error and the end of the connection.
   */
  turnEnd: "closed" | "open" | "open-bare" | "goaway";
  /** What becomes of a run whose client does not have a blob. "blank": it goes on without its history. */
  missingBlob: "named" | "internal" | "failed-precondition" | "blank";
  /** Names a blob in every checkpoint that the client was never given. */
  lostBlobs: boolean;
  /** Uses one of Cursor's own tools first in a run that was started without a message of the user. */
  nativeResumes: boolean;
  /** Whether the account is served here. "silent": a run gets the status 200 and the end of its stream; "refused": an error in words. */
  region: "served" | "silent" | "refused";
  /** Resets a run that has more of its history in the request itself, in place of ids of blobs; 0 = no limit. */
  maxInlineBytes: number;
  /** Tokens of Cursor's own prompt and tools in every model call. Seen: 20152 with cursor-agent, 46946 with the SDK. */
  tokenFloor: number;
  /** Withholds the descriptions and schemas of the client's tools from the model, which then knows only what its rules say of them. */
  dynamicTools: boolean;
  /** What becomes of words that a client sends during a run. */
  steering: "ignored" | "delivered" | "rejected";
  /** Life of the tokens that an API key is exchanged for; 0 = expired from the start. */
  tokenTtlSeconds: number;
  /** Life of the tokens of a browser login. */
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
  /** Which layouts of `x-cursor-checksum` the legacy calls take: "strict" is the desktop client's alone. */
  checksum: "lax" | "strict";
  /** The shapes in which accounts get their usage. */
  usage: "full" | "free" | "no-plan" | "unlimited" | "on-demand" | "strings";
  /** How long the simulator waits for an answer that the protocol demands before it ends the run with an error. */
  patienceMs: number;
  /** Client versions that get "Update Required", besides those of the wrong shape. */
  deniedVersions: readonly string[];
  privacyMode: 0 | 1 | 2 | 3 | 4;
  /** For `serve --or-simulate`: announces the simulation in every answer that no directive drives, and never calls a tool. */
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
  /** What stands for the value in help; empty for a flag. */
  readonly hint: string;
  readonly about: string;
}

function option<Value>(rule: Rule<Value>, usual: NoInfer<Value>, hint: string, about: string): Option<Value> {
  return { rule, usual, hint, about };
}

function off(about: string): Option<boolean> {
  return option(flag(), false, "", about);
}

/** Without it, the first of the choices counts. */
function first<const Choice extends string>(choices: readonly [Choice, ...Choice[]], about: string): Option<Choice> {
  return option(oneOf<Choice>(...choices), choices[0], choices.join("|"), about);
}

const amount = whole(0, Number.MAX_SAFE_INTEGER);
const okOrFails = oneOfOrCounted(["ok", "refuse"], "fail");

/** How each option is read, and what help says of it. */
export const optionTable: { readonly [Name in keyof SimulatorOptions]: Option<SimulatorOptions[Name]> } = {
  strict: off("Refuse what only clients other than Cursor's own send"),
  transport: first(["h2", "h1"], "Transport that its server config advises; h1 refuses Run"),
  bootstrapMs: option(whole(0, MAX_MS), 0, "ms", "Silence before the first event of a run"),
  heartbeatMs: option(whole(1, MAX_MS), 5_000, "ms", "Pause between two heartbeats of a run"),
  deltaMs: option(whole(0, MAX_MS), 0, "ms", "Pause between two deltas; 0 = as fast as the reader allows"),
  maxStreams: option(whole(0, MAX_WINDOW), 0, "n", "HTTP/2 streams at once on a connection; 0 = no limit of ours"),
  window: option(whole(0, MAX_WINDOW), 0, "bytes", "HTTP/2 window of a stream; 0 = Node's own"),
  gzip: off("Compress every frame"),
  drift: off("Add unknown fields and unknown requests, as from a newer server"),
  emptyResumes: off("Answer nothing to a run that is started without a message of the user"),
  staleTools: off("Offer the model the tools of a conversation's first run in all its runs"),
  forgetBlobs: off("Ask for every blob of the conversation again in each run"),
  sharedBlobs: off("Remember blobs for all conversations together, not for each by itself"),
  blobReferences: off("Name blobs that the client has already once more, by their ids alone"),
  approvals: off("Ask for each call of the client's tools first whether it may be made"),
  modelIds: first(["any", "parameters", "slug", "base"], "The only shape of model names that it takes"),
  modelIdError: first(["not-found", "resource-exhausted"], "The bare error for a name in another shape"),
  refuseCombinators: off("Refuse anyOf, oneOf and allOf in tool schemas on Fable models"),
  refuseReusedIds: off("Refuse conversation ids after a call that was never answered"),
  turnEnd: first(
    ["closed", "open", "open-bare", "goaway"],
    "Whether the stream ends behind a turn; bare = no checkpoint there either; goaway = the connection ends",
  ),
  missingBlob: first(["named", "internal", "failed-precondition", "blank"], "What becomes of a run that lacks a blob"),
  lostBlobs: off("Name a blob in every checkpoint that the client was never given"),
  nativeResumes: off("Use Cursor's own tools first in a run without a message of the user"),
  region: first(["served", "silent", "refused"], "Whether accounts are served here; silent = the stream ends at once"),
  maxInlineBytes: option(amount, 0, "bytes", "Reset a run with more history in the request itself; 0 = no limit"),
  tokenFloor: option(
    whole(0, 1_000_000),
    0,
    "tokens",
    "Cursor's own part of every prompt; seen: 20152 (CLI), 46946 (SDK)",
  ),
  dynamicTools: off("Withhold descriptions and schemas of the client's tools from the model"),
  steering: first(["ignored", "delivered", "rejected"], "What becomes of words that a client sends during a run"),
  tokenTtlSeconds: option(amount, 3_600, "seconds", "Life of the tokens that an API key is exchanged for"),
  sessionTtlSeconds: option(amount, 60 * 24 * 3_600, "seconds", "Life of the tokens of a browser login"),
  login: option(
    oneOfOrCounted(["approve", "deny", "wait", "error", "no-post", "half"], "error"),
    "approve",
    "approve|deny|wait|error|error-N|no-post|half",
    "What comes of a browser login",
  ),
  exchange: option(okOrFails, "ok", "ok|refuse|fail-N", "What comes of an API key; fail-N = the next N answer 500"),
  refresh: option(
    okOrFails,
    "ok",
    "ok|refuse|fail-N",
    "What comes of renewing a session; fail-N = the next N answer 500",
  ),
  mint: first(["ok", "refuse"], "What comes of making an API key from a session"),
  legacy: option(
    oneOf("working", "retired", "hanging"),
    "retired",
    "working|retired|hanging",
    "How the old chat calls behave",
  ),
  checksum: first(["lax", "strict"], "Which checksum layouts the old chat calls take"),
  usage: first(["full", "free", "no-plan", "unlimited", "on-demand", "strings"], "Shape of the usage report"),
  patienceMs: option(whole(1, MAX_MS), 60_000, "ms", "How long it waits for an answer that the protocol demands"),
  deniedVersions: option(words(), [], "a,b", "Client versions that must update"),
  privacyMode: option(oneOf(0, 1, 2, 3, 4), 1, "0..4", "Privacy mode of the account"),
  fallback: off("Announce the simulation in every answer that no directive drives, and call no tool"),
};

const optionNames = Object.keys(optionTable) as (keyof SimulatorOptions)[];

// Every option is a row of the table.
export const defaultOptions = Object.fromEntries(
  optionNames.map((name) => [name, optionTable[name].usual]),
) as unknown as SimulatorOptions;

/** `tokenTtlSeconds` -> `token-ttl`: flags have no unit. */
export function flagOf(name: string): string {
  return name.replace(/-?Seconds$/i, "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * Reads options from flags, a scenario file or `POST /__sim/config`. Names may be in camelCase or in the form of flags; numbers
 * and booleans may be text, as on a command line. Undefined values are ignored.
 * @throws InvalidOption for an unknown name or an invalid value.
 */
export function parseOptions(input: unknown): Partial<SimulatorOptions> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new InvalidOption(`Options are an object such as {"deltaMs": 20}, not ${shown(input)}.`);
  }
  const options: Partial<SimulatorOptions> = {};
  for (const [given, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const name = optionName(given);
    if (name === undefined) {
      throw new InvalidOption(`There is no option "${given}". There are: ${optionNames.join(", ")}.`);
    }
    const read = optionTable[name].rule.read(value);
    if (read === undefined) {
      throw new InvalidOption(`The option "${given}" takes ${optionTable[name].rule.wants}, not ${shown(value)}.`);
    }
    Object.assign(options, { [name]: read });
  }
  return options;
}

function optionName(given: string): keyof SimulatorOptions | undefined {
  const flag = flagOf(given);
  return optionNames.find((name) => flagOf(name) === flag);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
