import { Random } from "../replay/random.js";
import { randomTurn, type TurnScript } from "../replay/random-turn.js";

/** What users do, with its frequency per thousand messages. The rest are plain messages. */
const habits = {
  /** Types while a tool runs: results and words come in one request. */
  "typed in": 100,
  /** The client adds a tool during a tool round. */
  "tool added in a round": 30,
  "tool added": 20,
  /** Rewords the last message. */
  edited: 30,
  /** Goes back some messages and continues from there; both branches are kept. */
  branched: 30,
  /** The client asks for a summary and continues with only that. */
  compacted: 20,
  /** Aborts the answer and sends another message. */
  aborted: 30,
  /** Sends a message instead of the results. */
  "dropped results": 20,
  /** The connection breaks during an answer, and the client retries. */
  "cut and retried": 30,
  /** The client sends the same request twice concurrently. */
  "sent twice": 10,
  /** The gateway restarts between calls and results. */
  "restarted in a round": 8,
  restarted: 12,
} as const;

export type Habit = keyof typeof habits;
/** Row of the table: the habit, or the habit of the previous message if its costs occur now. */
export type Kind = Habit | "first" | "plain" | `after ${"aborted" | "compacted" | "dropped results"}`;

export interface PlannedMessage {
  conversation: number;
  kind: Kind;
  script: TurnScript;
  isStreamed: boolean;
  /** For choices that depend on the state of the conversation. */
  random: Random;
}

const inRounds: ReadonlySet<Kind> = new Set([
  "typed in",
  "tool added in a round",
  "dropped results",
  "restarted in a round",
] satisfies Kind[]);
const withHistory: ReadonlySet<Kind> = new Set(["edited", "branched", "compacted"] satisfies Kind[]);
/** Shorter conversations have nothing to edit or branch from. */
const SHORT_MESSAGES = 4;

export function planDay(seed: number, messages: number, conversations: number): PlannedMessage[] {
  const random = new Random(seed);
  const counts = Array.from({ length: conversations }, () => 0);
  const previous: (Kind | undefined)[] = counts.map(() => undefined);
  return Array.from({ length: messages }, (_, index) => {
    const conversation = random.between(0, conversations - 1);
    const count = counts[conversation] ?? 0;
    const kind = nextKind(random, count, previous[conversation]);
    counts[conversation] = kind === "compacted" ? 0 : count + 1;
    previous[conversation] = kind;
    const script = scriptFor(random, kind, `message ${index}`);
    const isStreamed = kind === "aborted" || kind === "cut and retried" || random.chance(0.8);
    return { conversation, kind, script, isStreamed, random: new Random(random.between(0, 1e9)) };
  });
}

function nextKind(random: Random, count: number, previous: Kind | undefined): Kind {
  let left = random.between(0, 999);
  if (previous === undefined) return "first";
  if (previous === "aborted" || previous === "compacted" || previous === "dropped results") return `after ${previous}`;
  for (const [habit, perMille] of Object.entries(habits) as [Habit, number][]) {
    left -= perMille;
    if (left < 0) return withHistory.has(habit) && count < SHORT_MESSAGES ? "plain" : habit;
  }
  return "plain";
}

/** The simulated model does not recognise its built-in tools in a transcript, so only plain messages use them. */
function scriptFor(random: Random, kind: Kind, title: string): TurnScript {
  for (;;) {
    const script = randomTurn(random, title);
    if (script.hasNatives && kind !== "plain") continue;
    if (script.rounds > 0 || !inRounds.has(kind)) return script;
  }
}
