import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tool } from "../../testing/clients/tool-client.js";
import { type Cut, type CutKind, cutKinds } from "../../testing/network/cutting-relay.js";
import { type Lane, openLane, spread } from "./lane.js";
import { type Habits, plainHabits, ToolUser, type TurnRecord } from "./tool-user.js";

const LANES = 40;
/** Long enough not to mistake a busy machine for a dead stream. */
const SILENCE_MS = 2_500;

const tools = [tool("weather", { city: { type: "string" } }), tool("compare", { a: { type: "string" } })];
/** One delta each, and long enough that a lost or doubled answer shows in the input of the model. */
const long = (word: string) => `${word}-`.repeat(400);
const goldenTurns = [
  `[[think Two places to look at.]] [[say Looking at both. ${long("both")}]]
   [[call weather {"city":"Kiel"}]] [[call weather {"city":"Bonn"}]]
   then [[partial]] [[call compare {"a":"Kiel","b":"Bonn","why":"as asked"}]]
   then [[say Kiel is the wetter one. ${long("wet")}]]`,
  "Thanks. [[think Short.]] [[say You are welcome.]]",
];

/** Makes each conversation unique: otherwise a failure would count as a repetition of the same request. */
let conversations = 0;

let lanes: Lane[];
let whole: ToolUser;
let envelopes: readonly string[];
beforeAll(async () => {
  const opening = Array.from({ length: LANES }, () => openLane({ heartbeatMs: 300 }, { silenceMs: SILENCE_MS }));
  lanes = await Promise.all(opening);
  const lane = lanes[0] as Lane;
  whole = await converse(lane);
  envelopes = lane.relay.envelopes;
});
afterAll(async () => {
  await Promise.all(lanes.map((lane) => lane.close()));
});

async function converse({ system, relay }: Lane, cut?: Cut, habits: Habits = plainHabits): Promise<ToolUser> {
  relay.plan(cut);
  const client = new ToolUser(system.url, tools);
  const mark = `(conversation ${String(++conversations).padStart(6, "0")})`;
  for (const words of goldenTurns) if (!(await client.say(`${words} ${mark}`, habits))) break;
  return client;
}

/** The faults of a conversation that was cut. */
function faults(client: ToolUser): string[] {
  const found: string[] = [];
  for (const [call, times] of client.executions) {
    if (times > (whole.executions.get(call) ?? 0)) found.push(`${call} was run ${times} times`);
  }
  for (const [index, turn] of client.turns.entries()) {
    const wanted = whole.turns[index] as TurnRecord;
    if (turn.end === "stop") {
      if (turn.text !== wanted.text) found.push(`turn ${index + 1} says ${brief(turn.text)}`);
      if (turn.calls.join() !== wanted.calls.join()) found.push(`turn ${index + 1} calls ${turn.calls}`);
    } else if (!wanted.text.startsWith(turn.text)) found.push(`turn ${index + 1} says by halves ${brief(turn.text)}`);
  }
  const ratio = client.promptTokens / whole.promptTokens;
  if (isWhole(client) && (ratio < 0.9 || ratio > 1.1)) found.push(`the model read ${ratio} of what it should have`);
  return found;
}

const isWhole = ({ turns }: ToolUser) => turns.length === goldenTurns.length && turns.at(-1)?.end === "stop";
const brief = (text: string) => JSON.stringify(text.replace(/(\w+-)\1{3,}/g, "$1*"));

/** The endings of conversations by kind of cut: the same, the same after a retry, an error. */
class Tally {
  readonly wrong: string[] = [];
  readonly #rows = new Map(cutKinds.map((kind) => [kind, { same: 0, "same after a retry": 0, error: 0 }]));

  async count(kind: CutKind, where: string, conversation: Promise<ToolUser>): Promise<ToolUser | undefined> {
    try {
      const client = await conversation;
      const row = this.#rows.get(kind);
      const end = !isWhole(client) ? "error" : client.retries > 0 ? "same after a retry" : "same";
      if (row !== undefined) row[end]++;
      for (const fault of faults(client)) this.wrong.push(`${kind} ${where}: ${fault}`);
      return client;
    } catch (thrown) {
      this.wrong.push(`${kind} ${where}: ${thrown instanceof Error ? thrown.message : thrown}`);
      return undefined;
    }
  }

  print(title: string): void {
    const used = [...this.#rows].filter(([, ends]) => Object.values(ends).some((count) => count > 0));
    const rows = used.map(([kind, ends]) => `  ${kind.padEnd(10)} ${JSON.stringify(ends)}`);
    process.stdout.write(`${title}\n${rows.join("\n")}\n`);
  }
}

async function expectBalance(): Promise<void> {
  for (const { system } of lanes) {
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    const stats = system.simulator.stats();
    expect(stats.execsAsked).toBe(stats.execsAnswered + stats.execsThrown + stats.execsAbandoned);
    expect(stats.queriesAsked).toBe(stats.queriesAnswered + stats.queriesAbandoned);
  }
}

describe("the golden conversation", () => {
  it("is as expected without a cut", () => {
    expect(whole.turns).toMatchObject([
      {
        end: "stop",
        calls: [
          'weather {"city":"Kiel"}',
          'weather {"city":"Bonn"}',
          'compare {"a":"Kiel","b":"Bonn","why":"as asked"}',
        ],
        text: expect.stringMatching(
          /^Looking at both.*Result of weather: .*Kiel.*Result of compare.*Kiel is the wetter/s,
        ),
      },
      { end: "stop", calls: [], text: "You are welcome." },
    ]);
    expect([...whole.executions.values()]).toEqual([1, 1, 1]);
    expect(whole.continuities).toEqual(["cold:new", "warm", "warm", "warm"]);
    expect(envelopes.filter((name) => name === "end")).toHaveLength(2);
  });

  it("cut at any message of the server ends the same or in one clear error", { timeout: 600_000 }, async () => {
    const tally = new Tally();
    const cuts = cutKinds.flatMap((kind) => envelopes.map((_, index): Cut => ({ kind, envelope: index + 1 })));
    await spread(lanes, cuts, async (lane, cut) => {
      const where = `before message ${cut.envelope} (${envelopes[cut.envelope - 1]})`;
      await tally.count(cut.kind, where, converse(lane, cut));
      if (!lane.relay.hasCut) tally.wrong.push(`${cut.kind} ${where}: was not cut`);
    });
    tally.print(`The golden conversation, cut at each of ${envelopes.length} messages:`);
    expect(tally.wrong).toEqual([]);
    await expectBalance();
  });

  it("cut at any message of a whole reply ends the same, if necessary after a retry", async () => {
    const tally = new Tally();
    const cuts = envelopes.map((_, index): Cut => ({ kind: "reset", envelope: index + 1 }));
    await spread(lanes, cuts, async (lane, cut) => {
      const where = `before message ${cut.envelope} (${envelopes[cut.envelope - 1]})`;
      const client = await tally.count(cut.kind, where, converse(lane, cut, { ...plainHabits, stream: false }));
      if (client !== undefined && !isWhole(client)) tally.wrong.push(`${where}: ended in an error`);
    });
    tally.print("The same without streaming:");
    expect(tally.wrong).toEqual([]);
    await expectBalance();
  });

  it("cut while the client runs its tools ends the same", async () => {
    const tally = new Tally();
    const moments = cutKinds.flatMap((kind) => [0, 1].flatMap((at) => [0, 1.6].map((rest) => ({ kind, at, rest }))));
    await spread(lanes, moments, async (lane, { kind, at, rest }) => {
      const whileRunning = async (round: number) => {
        if (round !== at) return;
        lane.relay.cutNow(kind);
        await sleep(rest * SILENCE_MS); // at once, or after the loss is noticed
      };
      const where = `in round ${at}, results ${rest === 0 ? "at once" : "later"}`;
      await tally.count(kind, where, converse(lane, undefined, { ...plainHabits, whileRunning }));
    });
    tally.print("The golden conversation, cut while the client runs its tools:");
    expect(tally.wrong).toEqual([]);
    await expectBalance();
  });
});
