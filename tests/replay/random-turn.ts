import type { Random } from "./random.js";

/** What the model says in a turn: its own words, and its words about a group of results in any order. */
export type SaidBlock = { words: string } | { results: readonly string[] };

/** What the user types while tools run. */
export interface TypedWords {
  /** After this many calls of the turn, when the model waits for nothing else. */
  afterCalls: number;
  /** New directives, which replace the earlier ones. */
  directives: string;
  /** What the awaited results can carry. Those of built-in tools carry no pictures. */
  room: "anything" | "words";
}

export interface TurnScript {
  /** The user message that makes the model play the turn. */
  directives: string;
  typed: readonly TypedWords[];
  said: readonly SaidBlock[];
  /**
   * What the model may say about results that came with words. It omits them if it reads the words last. If the client sends
   * such results one by one and the run is retried, the words may come before some of them.
   */
  maybeSaid: readonly string[];
  /** Calls as `name {arguments}`. */
  calls: readonly string[];
  /** Rounds with calls for the client, if each group comes together. */
  rounds: number;
  /** The simulated model does not recognise calls of built-in tools in the client's transcript. */
  hasNatives: boolean;
  /**
   * Calls of one group may reach the client in several replies. The simulated model only mentions adjacent results, so it skips
   * some when it has only the client's transcript.
   */
  mayBeSplit: boolean;
}

interface Call {
  directive: string;
  named: string;
  /** What the model says about the result, without the result itself. */
  reported: string;
  room: TypedWords["room"];
}

/** Gaps between parallel calls of one group; the last is too long for the first reply. */
const gapsMs = [0, 0, 0, 3, 30, 400] as const;

/** What the model says if it has not read the words typed while its tools ran. */
const UNHEARD = "I did not hear you.";

/** `typing` is the share of rounds in which the user types: new directives for the rest of the turn. */
export function randomTurn(random: Random, title: string, typing = 0): TurnScript {
  /** Directives of the current message: the first one, or one typed while tools run. */
  let directives: string[] = [];
  const messages: (Omit<TypedWords, "directives"> & { directives: string[] })[] = [
    { afterCalls: 0, directives, room: "anything" },
  ];
  const said: SaidBlock[] = [];
  const maybeSaid: string[] = [];
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
    // Not the calls of the first round: repeated after a break, they look like a server that repeats the turn.
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
    const results = group.map(({ reported, named }) => `${reported} # of ${named}`);
    if (typing > 0 && random.chance(typing)) {
      maybeSaid.push(...results);
      directives.push(`[[say ${UNHEARD}\n]]`);
      directives = [];
      messages.push({ afterCalls: calls.length, directives, room: group[0]?.room ?? "anything" });
    } else said.push({ results });
    if (random.chance(0.3)) say(`Part ${round}`);
  }
  say("End");
  const [first, ...typed] = messages.map((each) => ({ ...each, directives: each.directives.join(" ") }));
  return {
    directives: first?.directives ?? "",
    typed,
    said,
    maybeSaid,
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
  return { directive: `[[call ${named}]]`, named, reported: `Result of ${name}:`, room: "anything" };
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
    room: "words",
  };
}
