import type { Random } from "./random.js";

/** What the model says in a turn: its own words, and between them its words about a group of results, in any order. */
export type SaidBlock = { words: string } | { results: readonly string[] };

export interface TurnScript {
  /** The user message that makes the model do it. */
  directives: string;
  said: readonly SaidBlock[];
  /** Calls as `name {arguments}`. */
  calls: readonly string[];
  /** Rounds in which the client has calls to run, if all of a group come together. */
  rounds: number;
  /** The simulated model does not recognise a call of a built-in tool under its name in the client's transcript. */
  hasNatives: boolean;
  /**
   * Calls of one group may reach the client in several replies. The simulated model only mentions neighbouring results, so it
   * skips some when it has only the client's transcript.
   */
  mayBeSplit: boolean;
}

interface Call {
  directive: string;
  named: string;
  /** What the model says about the result, without the result. */
  reported: string;
}

/** Parallel calls count as one group when they come as close as this; the last gap is too long for the first reply. */
const gapsMs = [0, 0, 0, 3, 30, 400] as const;

export function randomTurn(random: Random, title: string): TurnScript {
  const directives: string[] = [];
  const said: SaidBlock[] = [];
  const calls: Call[] = [];
  const say = (position: string) => {
    const words = `${position} of ${title}${" and more".repeat(random.between(0, 3))}.`;
    directives.push(`[[say ${words}\n]]`);
    said.push({ words });
  };
  if (random.chance(0.4)) directives.push("[[think Let me think about it.]]");
  if (random.chance(0.6)) say("Beginning");
  if (random.chance(0.25)) directives.push("[[partial]]");
  const rounds = random.between(0, 4);
  let hasNatives = false;
  let mayBeSplit = false;
  let firstRound = 0;
  for (let round = 0; round < rounds; round++) {
    const isNative = random.chance(0.2);
    hasNatives ||= isNative;
    // The first round is left out: after a break its calls look like a server that repeats the turn.
    const group = isNative
      ? [nativeCall(random, `${title}.${round}`)]
      : callGroup(random, `${title}.${round}`, calls.slice(firstRound));
    calls.push(...group);
    firstRound ||= group.length;
    for (const [index, { directive }] of group.entries()) {
      const gapMs = index === 0 ? 0 : random.pick(gapsMs);
      mayBeSplit ||= gapMs > 0; // on a busy machine any gap may be too long for one reply
      directives.push(...(gapMs > 0 ? [`[[gap ${gapMs}]]`] : []), directive);
    }
    directives.push("then");
    said.push({ results: group.map(({ reported, named }) => `${reported} # of ${named}`) });
    if (random.chance(0.3)) say(`Part ${round}`);
  }
  say("End");
  return {
    directives: directives.join(" "),
    said,
    calls: calls.map(({ named }) => named),
    rounds,
    hasNatives,
    mayBeSplit,
  };
}

function callGroup(random: Random, label: string, before: readonly Call[]): Call[] {
  const own = before.filter(({ directive }) => directive.startsWith("[[call"));
  return Array.from({ length: random.between(1, 5) }, (_, index) => {
    const again = own[random.between(0, 20)];
    return again ?? toolCall(random.pick(["weather", "lookup"]), { place: `${label}.${index}` });
  });
}

function toolCall(name: string, input: Record<string, unknown>): Call {
  const named = `${name} ${JSON.stringify(input)}`;
  return { directive: `[[call ${named}]]`, named, reported: `Result of ${name}:` };
}

interface Native {
  kind: string;
  name: string;
  field: string;
  outcome: string;
}

function nativeCall(random: Random, label: string): Call {
  const { kind, name, field, outcome } = random.pick<Native>([
    { kind: "shell", name: "bash", field: "command", outcome: "success:" },
    { kind: "shell_stream", name: "bash", field: "command", outcome: "exit 0:" },
    { kind: "read", name: "read", field: "path", outcome: "success:" },
    { kind: "fetch", name: "fetch", field: "url", outcome: "success:" },
  ]);
  const input = JSON.stringify({ [field]: field === "url" ? `https://example.com/${label}` : `/tmp/${label}` });
  return {
    directive: `[[native ${kind} ${input}]]`,
    named: `${name} ${input}`,
    reported: `native ${kind}: ${outcome}`,
  };
}
