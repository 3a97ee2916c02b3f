/**
 * What Cursor's own clients are known to do. Each habit has the note that says so, with its certainty, and the words of the note; a
 * test looks them up there. What no note says is unknown, and is not guessed here.
 */
export interface KnownHabit {
  readonly does: string;
  /** The page and its section. */
  readonly note: { readonly page: string; readonly section: string };
  /** How sure we are, in the terms of that page. */
  readonly sure: "observed" | "several" | "one" | "official";
  /** Words of the note. */
  readonly words: string;
}

/** What can be compared. */
export type Habit =
  | "runs"
  | "runsAtOnce"
  | "retries"
  | "cancelled"
  | "abandoned"
  | "heartbeats"
  | "clientVersion"
  | "userAgent"
  | "hosts";

const WIRE = "docs/protocol/wire.md";

export const ownClients: Readonly<Record<Habit, KnownHabit | undefined>> = {
  runs: {
    does: "one for each message, however many calls it takes",
    note: { page: WIRE, section: "Execs" },
    sure: "observed",
    words: "A message of the user is one run",
  },
  runsAtOnce: undefined,
  retries: {
    does: "the CLI: after 1 s, doubling to a minute; how often: unknown",
    note: { page: WIRE, section: "Timing" },
    sure: "one",
    words: "The CLI retries after 1 s, doubling to a minute",
  },
  cancelled: undefined,
  abandoned: {
    does: "a run waits while a call runs; how long at most: unknown",
    note: { page: WIRE, section: "Timing" },
    sure: "observed",
    words: "The client sends a heartbeat every 3 s for a call that is still running",
  },
  heartbeats: {
    does: "every 5 s on a run",
    note: { page: WIRE, section: "Timing" },
    sure: "observed",
    words: "every 5 s on a run",
  },
  clientVersion: {
    does: "cli-YYYY.MM.DD-hash or sdk-x.y.z",
    note: { page: WIRE, section: "Headers" },
    sure: "several",
    words: "`cli` with `cli-YYYY.MM.DD-hash`, `sdk` with `sdk-x.y.z`",
  },
  userAgent: {
    does: "connect-es/1.6.1 (SDK 1.0.32)",
    note: { page: WIRE, section: "Headers" },
    sure: "observed",
    words: "SDK 1.0.32 sends 1.6.1 on all calls",
  },
  hosts: {
    does: "api2.cursor.sh; runs: agent(n).api5.cursor.sh",
    note: { page: WIRE, section: "Hosts" },
    sure: "several",
    words:
      "`agent.api5.cursor.sh` serves runs of accounts with privacy mode on, `agentn.api5.cursor.sh` of those with it off",
  },
};
