/** Everything a flag of `curlew simulate` sets, and `POST /__sim/config` while it runs. Same names, in camelCase. */
export interface SimulatorOptions {
  /** What the server config advises. With "h1", `Run` itself still answers until the gateway can do without it. */
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
  /** Compress every frame, whatever the client says it accepts. */
  gzip: boolean;
  /** Unknown fields and unknown requests now and then, as from a newer server. */
  drift: boolean;
  /** Ask for every blob of the conversation again in each run. */
  forgetBlobs: boolean;
  /** Life of the tokens that an API key is exchanged for; 0 = expired from the start. */
  tokenTtlSeconds: number;
  /** Life of the tokens of a browser login. */
  sessionTtlSeconds: number;
  /**
   * What comes of a browser login. "wait": only `POST /api/auth/loginDeepCallbackControl` approves it; "error-N": the next N
   * polls answer 500; "no-post": an old server without `POST /auth/poll`; "half": approved, but a token is missing.
   */
  login: "approve" | "deny" | "wait" | "error" | "no-post" | "half" | `error-${number}`;
  /** "fail-N": the next N exchanges answer 500. */
  exchange: "ok" | "refuse" | `fail-${number}`;
  legacy: "working" | "retired" | "hanging";
  /** Which layouts of `x-cursor-checksum` the legacy calls take: "strict" is the desktop client's alone. */
  checksum: "lax" | "strict";
  /** The shapes in which accounts get their usage. */
  usage: "full" | "free" | "no-plan" | "unlimited" | "on-demand" | "strings";
  /** How long it waits for an answer that the protocol demands before it ends the run with an error. */
  patienceMs: number;
  /** Client versions that are told to update, besides those of the wrong shape. */
  deniedVersions: readonly string[];
  privacyMode: 0 | 1 | 2 | 3 | 4;
  /** `serve --or-simulate`: announce the simulation in every answer that no directive drives, and never call a tool. */
  fallback: boolean;
}

export const defaultOptions: SimulatorOptions = {
  transport: "h2",
  bootstrapMs: 0,
  heartbeatMs: 5_000,
  deltaMs: 0,
  maxStreams: 0,
  window: 0,
  gzip: false,
  drift: false,
  forgetBlobs: false,
  tokenTtlSeconds: 3_600,
  sessionTtlSeconds: 60 * 24 * 3_600,
  login: "approve",
  exchange: "ok",
  legacy: "retired",
  checksum: "lax",
  usage: "full",
  patienceMs: 60_000,
  deniedVersions: [],
  privacyMode: 1,
  fallback: false,
};
