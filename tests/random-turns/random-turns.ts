import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RequestRecord } from "../../packages/gateway/turn/events/channels.js";
import type { Simulator } from "../../packages/simulator/index.js";
import { startTestGateway } from "../../testing/gateway/whole-system.js";
import { type GoldenDialect, type Line, post, type Tool } from "../../testing/golden/dialect.js";
import { startSimulator } from "../../testing/simulator/strict-simulator.js";
import { goldenDialects } from "../golden/dialects.js";
import { Random } from "../replay/random.js";
import { readReply } from "./read-reply.js";
import { isResumed, newestRuns, textsIn } from "./sent-runs.js";

interface Talk {
  readonly dialect: GoldenDialect;
  system: string;
  tools: readonly Tool[];
  lines: Line[];
  /** All marks that went upstream so far. */
  readonly sent: Set<string>;
}

const toolOf = (name: string): Tool => ({ name, description: `The tool ${name}.`, schema: { type: "object" } });
const allTools = ["weather", "time", "tide"].map(toolOf);

/** An action of a client. Returns false if it is not possible now. */
type Deed = (talk: Talk, random: Random, newMark: () => string) => boolean;

const openCalls = ({ lines }: Talk) => {
  const last = lines.at(-1);
  return last?.role === "assistant" ? last.answer.calls : [];
};

const say: Deed = (talk, random, newMark) => {
  const calls = random.chance(0.4) ? `[[call weather {}]]${random.chance(0.5) ? " [[call time {}]]" : ""} then ` : "";
  const text = `${newMark()} ${"word ".repeat(random.between(0, 200))}${calls}[[say ${newMark()} said.]]`;
  talk.lines.push({ role: "user", text });
  return true;
};

const giveResults: Deed = (talk, random, newMark) => {
  const calls = openCalls(talk);
  if (calls.length === 0) return false;
  const given = random.chance(0.2) ? calls.slice(0, 1) : calls;
  talk.lines.push({ role: "results", results: given.map(({ id }) => ({ id, text: `${newMark()} result` })) });
  return true;
};

const typeIn: Deed = (talk, random, newMark) => giveResults(talk, random, newMark) && say(talk, random, newMark);

const renameCalls: Deed = (talk, random, newMark) => {
  const last = talk.lines.at(-1);
  if (last?.role !== "assistant" || last.answer.calls.length === 0) return false;
  const calls = last.answer.calls.map((call, at) => ({ ...call, id: `renamed_${newMark()}_${at}` }));
  talk.lines[talk.lines.length - 1] = { role: "assistant", answer: { ...last.answer, calls } };
  return giveResults(talk, random, newMark);
};

const edit: Deed = (talk, random, newMark) => {
  const at = random.between(0, talk.lines.length - 1);
  const line = talk.lines[at];
  if (line?.role !== "assistant" || openCalls(talk).length > 0) return false;
  talk.lines[at] = { role: "assistant", answer: { ...line.answer, text: `${newMark()} edited` } };
  return say(talk, random, newMark);
};

const goBack: Deed = (talk, random, newMark) => {
  const users = talk.lines.flatMap(({ role }, at) => (role === "user" ? [at] : []));
  const at = users[random.between(0, users.length - 1)];
  if (at === undefined) return false;
  talk.lines.length = at;
  return say(talk, random, newMark);
};

const changeSettings: Deed = (talk, random, newMark) => {
  if (random.chance(0.5)) talk.system = `You are a heron, ${newMark()}.`;
  else talk.tools = talk.tools.length === 3 ? allTools.slice(0, 2) : allTools;
  return giveResults(talk, random, newMark) || say(talk, random, newMark);
};

/** Weighted by repetition. */
const deeds: readonly [Deed, ...Deed[]] = [
  giveResults,
  giveResults,
  giveResults,
  say,
  say,
  say,
  say,
  typeIn,
  renameCalls,
  edit,
  goBack,
  changeSettings,
];

export interface PlayedTurns {
  /** Differences between the ledger and what happened. */
  readonly faults: readonly string[];
  /** How often each continuity came. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Plays random turns, some after a restart, and compares the record of each with what reached Cursor. */
export async function playRandomTurns(
  seed: number,
  turns: number,
  { sharedBlobs }: { readonly sharedBlobs: boolean },
): Promise<PlayedTurns> {
  const random = new Random(seed);
  const simulator = await startSimulator({ sharedBlobs });
  const home = mkdtempSync(join(tmpdir(), "curlew-random-turns-"));
  const settings = { backendUrl: simulator.url, apiKey: "crsr_random_turns", logLevel: "silent" } as const;
  let gateway = await startTestGateway({ home, settings });
  const faults: string[] = [];
  const counts: Record<string, number> = {};
  const talks: Talk[] = [];
  let marks = 0;
  const newMark = () => `mark${marks++}mark`;
  for (let turn = 0; turn < turns; turn++) {
    if (random.chance(0.04)) {
      await gateway.close();
      gateway = await startTestGateway({ home, settings });
    }
    const talk = nextTalk(talks, random);
    while (!random.pick(deeds)(talk, random, newMark));
    const { noted, happened, answer } = await playTurn(gateway.url, simulator, talk);
    counts[happened.continuity] = (counts[happened.continuity] ?? 0) + 1;
    const isRightCount = isRight(noted.sentAgainTokens, happened, sharedBlobs);
    if (noted.continuity !== happened.continuity || !isRightCount) {
      const ofWhat = `turn ${turn} of seed ${seed} (${talk.dialect.name})`;
      faults.push(`${ofWhat}: noted ${JSON.stringify(noted)}, happened ${JSON.stringify(happened)}`);
    }
    talk.lines.push({ role: "assistant", answer });
  }
  await gateway.close();
  await simulator.close();
  rmSync(home, { recursive: true, force: true });
  return { faults, counts };
}

/** Upstream tokens of the lines before the newest. */
interface Happened {
  readonly continuity: string;
  readonly sent: number;
  /** Those that had been sent before. */
  readonly again: number;
  /** Those sent now or before. */
  readonly againAtMost: number;
  readonly isFromCheckpoint: boolean;
}

/**
 * A new conversation sends everything, and a warm one nothing again. In between (and for new conversations with shared blobs),
 * Cursor may still have a part and not ask for it. When the conversation of a checkpoint gets another id, the record includes
 * all that Cursor may ask for again.
 */
function isRight(tokens: number, happened: Happened, sharedBlobs: boolean): boolean {
  const { continuity, sent, again, againAtMost, isFromCheckpoint } = happened;
  if (isFromCheckpoint) return tokens >= again;
  if (continuity === "cold:new" && !sharedBlobs) return tokens === sent;
  if (continuity === "warm" || continuity === "warm:steered") return tokens === 0 && again === 0;
  return tokens >= again && tokens <= againAtMost;
}

function nextTalk(talks: Talk[], random: Random): Talk {
  const known = talks[random.between(0, talks.length - 1)];
  if (known !== undefined && !random.chance(0.1)) return known;
  const [first, ...others] = goldenDialects;
  if (first === undefined) throw new Error("There are no dialects.");
  const talk: Talk = {
    dialect: random.pick([first, ...others]),
    system: "You are a heron.",
    tools: allTools,
    lines: [],
    sent: new Set<string>(),
  };
  talks.push(talk);
  if (talks.length > 6) talks.shift();
  return talk;
}

async function playTurn(url: string, simulator: Simulator, talk: Talk) {
  const { dialect } = talk;
  const before = simulator.stats().runs;
  const ended = nextEnded();
  const response = await post(url, dialect, talk, false);
  const { continuity: notedContinuity, sentAgainTokens } = await ended;
  const answer = readReply(await response.json());
  const continuity = response.headers.get("x-curlew-continuity") ?? "";
  const runs = simulator.stats().runs - before;
  const requests = runs === 0 ? [] : newestRuns(simulator, runs);
  const marks = marksIn(textsIn(requests));
  const sent = tokensOf(talk, marks);
  const again = tokensOf(talk, new Set([...marks].filter((mark) => talk.sent.has(mark))));
  for (const mark of marks) talk.sent.add(mark);
  const isFromCheckpoint = requests.some(isResumed);
  return {
    noted: { continuity: notedContinuity, sentAgainTokens },
    happened: { continuity, sent, again, againAtMost: tokensOf(talk, talk.sent), isFromCheckpoint },
    answer,
  };
}

/** The record of the next request that ends. */
function nextEnded(): Promise<RequestRecord> {
  return new Promise((resolve) => {
    const onEnded = (message: unknown) => {
      unsubscribe("curlew:request:finished", onEnded);
      resolve(message as RequestRecord);
    };
    subscribe("curlew:request:finished", onEnded);
  });
}

/** The tokens of the lines before the newest that have one of these marks. */
function tokensOf({ lines }: Talk, sent: ReadonlySet<string>): number {
  const last = lines.findLastIndex(({ role }) => role === "assistant");
  const ids = callIdsOf(lines[last]);
  // Results that came in parts are all new.
  const newest = ids.length === 0 ? last : lines.findIndex((line) => callIdsOf(line).some((id) => ids.includes(id)));
  let characters = 0;
  let wasSent = false;
  for (const line of lines.slice(0, newest + 1)) {
    const text = textOf(line);
    const [mark] = marksIn(`${text} ${callIdsOf(line).join(" ")}`);
    // A line without a mark was sent with the line before it.
    if (mark !== undefined) wasSent = sent.has(mark);
    if (wasSent) characters += text.length;
  }
  return Math.ceil(characters / 4);
}

/** The marks in a text, and the ids of calls, which mark lines without text. */
function marksIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/mark\d+mark|\bcall_[a-z2-7]{20}\b/g));
}

function callIdsOf(line: Line | undefined): readonly string[] {
  return line?.role === "assistant" ? line.answer.calls.map(({ id }) => id) : [];
}

function textOf(line: Line): string {
  switch (line.role) {
    case "user":
      return line.text;
    case "assistant":
      return line.answer.text + line.answer.calls.map(({ name, input }) => name + input).join("");
    case "results":
      return line.results.map(({ text }) => text).join("");
  }
}
