import { Random } from "../replay/random.js";
import { randomTurn, type TurnScript } from "../replay/random-turn.js";

/** What a user does in everyday work, with how often per thousand messages. The rest is just said. */
const habits = {
  /** Types something while a tool runs: results and words come in one request. */
  "typed in": 100,
  /** The client offers one tool more in the middle of a tool round. */
  "tool added in a round": 30,
  "tool added": 20,
  /** Says the last message in other words. */
  edited: 30,
  /** Goes back some messages and goes on from there; both branches stay. */
  branched: 30,
  /** The client asks for a summary, and goes on with that alone. */
  compacted: 20,
  /** Stops the answer, and says something else. */
  aborted: 30,
  /** Says something else instead of waiting for the tools. */
  "dropped results": 20,
  /** The connection breaks in an answer, and the client sends the same request again. */
  "cut and retried": 30,
  /** The client sends the same request twice, because the first seems lost. */
  "sent twice": 10,
  /** The gateway is started again between calls and results. */
  "restarted in a round": 8,
  restarted: 12,
} as const;

export type Habit = keyof typeof habits;
/** What the table says of a message: the habit, or that the last message had one whose costs come now. */
export type Kind = Habit | "first" | "plain" | `after ${"aborted" | "compacted" | "dropped results"}`;

export interface PlannedMessage {
  conversation: number;
  kind: Kind;
  script: TurnScript;
  isStreamed: boolean;
  /** Makes the choices that depend on how far the conversation has got. */
  random: Random;
}

const inRounds: ReadonlySet<Kind> = new Set([
  "typed in",
  "tool added in a round",
  "dropped results",
  "restarted in a round",
] satisfies Kind[]);
const withHistory: ReadonlySet<Kind> = new Set(["edited", "branched", "compacted"] satisfies Kind[]);
/** Edits and branches of less would have nothing to go back to. */
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

/** The simulated model does not recognise its built-in tools in a transcript, so only what stays on one run uses them. */
function scriptFor(random: Random, kind: Kind, title: string): TurnScript {
  for (;;) {
    const script = randomTurn(random, title);
    if (script.hasNatives && kind !== "plain") continue;
    if (script.rounds > 0 || !inRounds.has(kind)) return script;
  }
}
