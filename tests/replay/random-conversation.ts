import type { SimulatorOptions } from "../../packages/simulator/index.js";
import { type Cut, type CutKind, cutKinds } from "../../testing/network/cutting-relay.js";
import { Random } from "./random.js";
import { randomTurn, type TurnScript } from "./random-turn.js";
import type { Habits } from "./tool-user.js";

/** How a client edits the history before it continues: changes an answer, drops the first turn, or removes the last one. */
export type Edit = "reworded" | "forgotten" | "undone";

/**
 * Events between calls and results: the tools outlast the lease, the client edits an older answer, it renames its calls, or the
 * parked run breaks.
 */
export type Interlude = "slow" | "reworded" | "renamed" | CutKind;

export interface PlannedTurn extends TurnScript {
  edit: Edit | undefined;
  habits: Habits;
  /** What happens while the client runs the calls of one round. */
  interlude: { round: number; what: Interlude } | undefined;
  /** The end of the user message; the model repeats it when asked what was said. */
  mark: string;
  /** The ends of what the user types while tools run. */
  typedMarks: readonly string[];
}

/** The share of the tool rounds in which the user types something. */
const TYPING = 0.3;

export interface RandomConversation {
  turns: readonly PlannedTurn[];
  cut: Cut | undefined;
  /** Nothing disturbs it: each turn continues where the last one ended, on its own run. */
  isCalm: boolean;
  simulator: Pick<SimulatorOptions, "forgetBlobs" | "drift" | "blobReferences" | "approvals" | "turnEnd">;
  /** Marks the last message, which asks what was said. */
  lastMark: string;
}

export function randomConversation(seed: number): RandomConversation {
  const random = new Random(seed);
  const count = random.between(1, 4);
  const isBroken = random.chance(0.55); // the cut may be after the end
  // Only one thing breaks: a stream at some message, or a parked run.
  const breaksWaiting = isBroken && random.chance(0.25) ? random.between(0, count - 1) : undefined;
  const turns = Array.from({ length: count }, (_, index) => {
    const script = randomTurn(random, `turn ${index}`, TYPING);
    const edit = index > 0 && random.chance(0.25) ? random.pick(["reworded", "forgotten", "undone"]) : undefined;
    const cut = breaksWaiting === index ? random.pick(cutKinds) : undefined;
    const interlude = randomInterlude(random, script, cut);
    const habits = randomHabits(random);
    const mayBeSplit = script.mayBeSplit || habits.inParts;
    const typedMarks = script.typed.map((_, typed) => mark(seed, index, typed));
    return { ...script, mayBeSplit, mark: mark(seed, index), typedMarks, edit, interlude, habits };
  });
  const likelyMessages = 25 * count + turns.reduce((sum, { calls, rounds }) => sum + 6 * calls.length + 8 * rounds, 0);
  const cut = { kind: random.pick(cutKinds), envelope: random.between(1, likelyMessages) };
  return {
    turns,
    cut: isBroken && breaksWaiting === undefined ? cut : undefined,
    isCalm: !isBroken && turns.every(isCalm),
    simulator: {
      forgetBlobs: random.chance(0.2),
      drift: random.chance(0.2),
      blobReferences: random.chance(0.2),
      approvals: random.chance(0.2),
      turnEnd: random.chance(0.1) ? "open" : "closed",
    },
    lastMark: mark(seed, count),
  };
}

function randomInterlude(random: Random, script: TurnScript, cut: CutKind | undefined): PlannedTurn["interlude"] {
  const round = random.between(0, Math.max(0, script.rounds - 1));
  if (cut !== undefined) return { round, what: cut };
  if (random.chance(0.02)) return { round, what: "slow" };
  if (script.hasNatives || random.chance(0.85)) return undefined;
  return { round, what: random.pick(["reworded", "renamed"]) };
}

function randomHabits(random: Random): Habits {
  return {
    stream: random.chance(0.7),
    order: random.pick(["as-called", "reversed"]),
    inParts: random.chance(0.2),
    keepsTellings: random.chance(0.5),
    leaves: random.chance(0.2) ? { request: random.between(0, 3), afterFrames: random.between(1, 8) } : undefined,
    dropsResultsAt: random.chance(0.1) ? random.between(0, 3) : undefined,
    retriesBroken: random.chance(0.5),
  };
}

function isCalm({ edit, interlude, habits }: PlannedTurn): boolean {
  const { leaves, dropsResultsAt } = habits;
  return edit === undefined && interlude === undefined && leaves === undefined && dropsResultsAt === undefined;
}

function mark(seed: number, index: number, typed?: number): string {
  return `(conversation ${seed}, message ${index}${typed === undefined ? "" : `.${typed}`})`;
}
