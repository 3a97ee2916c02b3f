/** Not settings: users should not have to tune them; tests inject others (docs/decisions/0013-settings-and-places.md). */
export const constants = {
  /** Silence on a streamed reply before a keep-alive comment. Proxies and clients commonly give up after 30 to 60 s of silence. */
  keepAliveMs: 15_000,
  /** Cursor's own client takes a stream for dead after 30 s without a byte; heartbeats come far more often. */
  silenceMs: 30_000,
  /** Pause between two of our heartbeats: the interval of Cursor's own client. */
  heartbeatMs: 5_000,
  /** Grace period of running replies at shutdown: as long as `docker stop` waits before it kills. */
  graceMs: 10_000,
  /** Retries of a turn that failed before its first word. With the pauses between them they take about 7 s. */
  retries: 3,
  /** Pause before the first of them, doubled before each further one, as Cursor's own CLI does (docs/protocol/wire.md, timing). */
  retryPauseMs: 1_000,
  /** Wait for further parallel tool calls if Cursor does not say how many there are; they follow each other within it. */
  quietMs: 250,
  /**
   * Wait for a call that Cursor has listed, or that the staged checkpoint names: under load, one batch of calls spreads over more than
   * the quiet period.
   */
  namedCallMs: 1_500,
  /** Largest request body: the limit of Anthropic's API, which clients of both dialects keep to. */
  bodyLimitBytes: 32 * 1024 * 1024,
  /** Runs that may wait for tool results at once: far more than one person's agents start, and each is an open stream at Cursor. */
  maxParkedRuns: 256,
  /** Runs that may be open at Cursor at once. Careful conduct allows two. */
  maxRuns: Number.POSITIVE_INFINITY,
  /** Wait for one of these: a little longer than the lease under careful conduct, so that a place is free by then. */
  runWaitMs: 65_000,
  /** Conversation state expires after a month without use; a resent history restores it. */
  stateMaxDays: 30,
  /** A turn uses ACP if it has tools or images, which print mode lacks; print mode starts faster. */
  cliMode: "auto" as "auto" | "print" | "acp",
  /** The CLI streams what it does, so this long without output, while it runs no tool, counts as a hang. */
  cliIdleMs: 120_000,
  /** MCP clients commonly give up on a tool after 60 s; before that the CLI is asked to call again for the result. */
  cliToolWaitMs: 50_000,
  /** The Node that runs Cursor's SDK; undefined: Curlew's own if it is new enough, otherwise one found on this machine. */
  sdkNode: undefined as string | undefined,
};

export type Constants = Readonly<typeof constants>;

/** `careful` is for accounts whose owner must not stand out at Cursor (docs/decisions/0013-settings-and-places.md#careful-conduct). */
export const conducts = ["usual", "careful"] as const;

export type Conduct = (typeof conducts)[number];

/** Under careful conduct no run waits longer for a client. */
const CAREFUL_LEASE_MS = 60_000;

interface Conducted {
  readonly conduct: Conduct;
  readonly leaseMs: number;
}

/** Overrides of constants and settings under careful conduct. */
export function conductLimits({ conduct, leaseMs }: Conducted): Partial<Constants & Pick<Conducted, "leaseMs">> {
  if (conduct === "usual") return {};
  return { maxRuns: 2, retries: 0, leaseMs: Math.min(leaseMs, CAREFUL_LEASE_MS) };
}

/** Warnings about settings that careful conduct overrides. Backends that it does not allow prevent the start instead. */
export function conductWarnings({ conduct, leaseMs }: Conducted, origins: { readonly leaseMs?: string }): string[] {
  const { leaseMs: origin } = origins;
  if (conduct === "usual" || origin === undefined || leaseMs <= CAREFUL_LEASE_MS) return [];
  return [`${origin} is longer than careful conduct allows, so ${CAREFUL_LEASE_MS} ms applies.`];
}

/** Corrections of model and client behaviour, by their names in `disabledQuirks`. */
const switchOf = {
  "native-tools": "mapNativeTools",
  "written-calls": "writtenCalls",
  "think-tags": "thinkTags",
  titles: "cheapTitles",
} as const;

export type Quirk = keyof typeof switchOf;
export type QuirkSwitches = Readonly<Record<(typeof switchOf)[Quirk], boolean>>;

export const quirks = Object.keys(switchOf) as Quirk[];

export function quirkSwitches(disabled: readonly Quirk[]): QuirkSwitches {
  const entries = quirks.map((quirk) => [switchOf[quirk], !disabled.includes(quirk)]);
  // Every switch is named by one quirk.
  return Object.fromEntries(entries) as QuirkSwitches;
}
