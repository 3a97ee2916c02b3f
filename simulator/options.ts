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

export const defaultOptions: SimulatorOptions = {
  strict: false,
  transport: "h2",
  bootstrapMs: 0,
  heartbeatMs: 5_000,
  deltaMs: 0,
  maxStreams: 0,
  window: 0,
  gzip: false,
  drift: false,
  emptyResumes: false,
  staleTools: false,
  forgetBlobs: false,
  sharedBlobs: false,
  blobReferences: false,
  approvals: false,
  modelIds: "any",
  modelIdError: "not-found",
  refuseCombinators: false,
  refuseReusedIds: false,
  turnEnd: "closed",
  missingBlob: "named",
  lostBlobs: false,
  nativeResumes: false,
  region: "served",
  maxInlineBytes: 0,
  tokenFloor: 0,
  dynamicTools: false,
  steering: "ignored",
  tokenTtlSeconds: 3_600,
  sessionTtlSeconds: 60 * 24 * 3_600,
  login: "approve",
  exchange: "ok",
  refresh: "ok",
  mint: "ok",
  legacy: "retired",
  checksum: "lax",
  usage: "full",
  patienceMs: 60_000,
  deniedVersions: [],
  privacyMode: 1,
  fallback: false,
};

/** An unknown name or an invalid value; the message says which, and what is allowed. */
export class InvalidOption extends Error {
  override readonly name = "InvalidOption";
}

/** Node's timers turn anything longer into 1 ms. */
const MAX_MS = 2_147_483_647;
/** The largest window in HTTP/2. */
const MAX_WINDOW = 2_147_483_647;

const rules: { readonly [Name in keyof SimulatorOptions]: Rule<SimulatorOptions[Name]> } = {
  strict: flag(),
  transport: oneOf("h2", "h1"),
  bootstrapMs: whole(0, MAX_MS),
  heartbeatMs: whole(1, MAX_MS),
  deltaMs: whole(0, MAX_MS),
  maxStreams: whole(0, MAX_WINDOW),
  window: whole(0, MAX_WINDOW),
  gzip: flag(),
  drift: flag(),
  emptyResumes: flag(),
  staleTools: flag(),
  forgetBlobs: flag(),
  sharedBlobs: flag(),
  blobReferences: flag(),
  approvals: flag(),
  modelIds: oneOf("any", "parameters", "slug", "base"),
  modelIdError: oneOf("not-found", "resource-exhausted"),
  refuseCombinators: flag(),
  refuseReusedIds: flag(),
  turnEnd: oneOf("closed", "open", "open-bare", "goaway"),
  missingBlob: oneOf("named", "internal", "failed-precondition", "blank"),
  lostBlobs: flag(),
  nativeResumes: flag(),
  region: oneOf("served", "silent", "refused"),
  maxInlineBytes: whole(0, Number.MAX_SAFE_INTEGER),
  tokenFloor: whole(0, 1_000_000),
  dynamicTools: flag(),
  steering: oneOf("ignored", "delivered", "rejected"),
  tokenTtlSeconds: whole(0, Number.MAX_SAFE_INTEGER),
  sessionTtlSeconds: whole(0, Number.MAX_SAFE_INTEGER),
  login: oneOfOrCounted(["approve", "deny", "wait", "error", "no-post", "half"], "error"),
  exchange: oneOfOrCounted(["ok", "refuse"], "fail"),
  refresh: oneOfOrCounted(["ok", "refuse"], "fail"),
  mint: oneOf("ok", "refuse"),
  legacy: oneOf("working", "retired", "hanging"),
  checksum: oneOf("lax", "strict"),
  usage: oneOf("full", "free", "no-plan", "unlimited", "on-demand", "strings"),
  patienceMs: whole(1, MAX_MS),
  deniedVersions: words(),
  privacyMode: oneOf(0, 1, 2, 3, 4),
  fallback: flag(),
};

/** Flags without the unit. */
const shortNames: Readonly<Record<string, keyof SimulatorOptions>> = {
  tokenTtl: "tokenTtlSeconds",
  sessionTtl: "sessionTtlSeconds",
};

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
      throw new InvalidOption(`There is no option "${given}". There are: ${Object.keys(rules).join(", ")}.`);
    }
    const read = rules[name].read(value);
    if (read === undefined) {
      throw new InvalidOption(`The option "${given}" takes ${rules[name].wants}, not ${shown(value)}.`);
    }
    Object.assign(options, { [name]: read });
  }
  return options;
}

function optionName(given: string): keyof SimulatorOptions | undefined {
  const camel = given.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (Object.hasOwn(shortNames, camel)) return shortNames[camel];
  return isOptionName(camel) ? camel : undefined;
}

function isOptionName(name: string): name is keyof SimulatorOptions {
  return Object.hasOwn(rules, name);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
