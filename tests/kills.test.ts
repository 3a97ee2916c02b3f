import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tool } from "../testing/clients/tool-client.js";
import { ProcessSystem } from "../testing/programs/process-system.js";
import { stagedOnDisk } from "../testing/store/on-disk.js";
import { Pieces } from "./day/pieces.js";
import { spread } from "./replay/lane.js";
import { memoryFaults } from "./replay/memory-faults.js";
import { Random } from "./replay/random.js";
import { turnFaults } from "./replay/random-faults.js";
import { randomTurn, type TurnScript } from "./replay/random-turn.js";
import { type Habits, plainHabits, ToolUser } from "./replay/tool-user.js";

const LANES = 4;
/** `KILLS=1 KILLS_FROM=17` plays a single conversation. */
const { KILLS = 200, KILLS_FROM = 0 } = process.env;
const TURNS = 3;
const PIECE_BYTES = 2_000;

const tools = [tool("weather", { place: { type: "string" } }), tool("lookup", { place: { type: "string" } })];

/** A gateway that can be killed while its client continues, and the content sent upstream. */
class Lane {
  readonly pieces: Pieces;
  readonly system: ProcessSystem;
  #isUp: Promise<void> = Promise.resolve();

  private constructor(pieces: Pieces, system: ProcessSystem) {
    this.pieces = pieces;
    this.system = system;
  }

  static async open(): Promise<Lane> {
    const pieces = new Pieces();
    // The resumed run has a new id (docs/decisions/0004-checkpoints-whenever-they-come.md). A server with separate blobs per
    // conversation would ask for those of the checkpoint.
    const onClientMessage = (payload: Uint8Array) => pieces.count(payload);
    return new Lane(pieces, await ProcessSystem.start({ sharedBlobs: true, onClientMessage }));
  }

  readonly url = () => this.system.gateway.url;
  readonly isUp = () => this.#isUp;
  readonly stagedOnDisk = () => stagedOnDisk(this.system.home);

  kill(): Promise<void> {
    this.#isUp = this.#isUp.then(async () => {
      await this.system.gateway.kill();
      await this.system.startAgain();
    });
    return this.#isUp;
  }

  async close(): Promise<void> {
    await this.#isUp;
    await this.system.close();
  }
}

/**
 * When to kill the gateway: at a random time after the beginning of a turn, or while the client runs its first tools and the
 * checkpoint with the calls has arrived.
 */
interface Moment {
  at: "any time" | "staged";
  afterMs: number;
}

/** How a conversation continued: the first reply after the kill, and the bytes sent again until its end. */
interface Resumption {
  moment: Moment;
  lateMs: number;
  /** Whether the first calls have gaps: late ones may miss the reply, which then does not match the checkpoint. */
  mayBeSplit: boolean;
  /** Time from sending the checkpoint to finding it on disk. */
  storedMs: number;
  continuity: string | undefined;
  bytesAgain: number;
  seed: number;
}

async function play(lane: Lane, seed: number): Promise<{ faults: string[]; resumption: Resumption }> {
  const random = new Random(seed);
  const client = new ToolUser(lane.url, tools);
  const scripts = Array.from({ length: TURNS }, (_, index) => scriptWithCalls(random, `turn ${index}`));
  const killed = random.between(0, TURNS - 1);
  const lateMs = random.chance(0.4) ? 0 : random.between(1, 2_000);
  const moment: Moment = random.chance(0.4)
    ? { at: "any time", afterMs: random.between(0, 1_500) }
    : { at: "staged", afterMs: random.between(0, 300) };
  const mayBeSplit = scripts[killed]?.directives.split(" then ")[0]?.includes("[[gap ") === true;
  const resumption: Resumption = {
    moment,
    lateMs,
    mayBeSplit,
    storedMs: 0,
    continuity: undefined,
    bytesAgain: 0,
    seed,
  };
  const mark = (index: number) => `(conversation ${seed}, message ${index})`;
  const faults: string[] = [];
  const habits: Habits = { ...plainHabits, stream: random.chance(0.7), reconnect: lane.isUp };
  let repliesBefore = 0;
  let bytesBefore = 0;
  for (const [index, script] of scripts.entries()) {
    const isKilled = index === killed;
    const sent = lane.system.simulator.stats().checkpointsStaged;
    const stored = isKilled ? await lane.stagedOnDisk() : 0;
    const kill = async (afterMs: number) => {
      await sleep(afterMs);
      repliesBefore = client.continuities.length;
      bytesBefore = lane.pieces.bytesAgain;
      await lane.kill();
    };
    const whileRunning = async (round: number) => {
      if (!isKilled || moment.at !== "staged" || round > 0) return;
      const isSent = () => expect(lane.system.simulator.stats().checkpointsStaged).toBeGreaterThan(sent);
      await vi.waitFor(isSent, { timeout: 60_000, interval: 5 });
      const sentMs = performance.now();
      // Waits for the disk, because no fixed delay is enough on a busy machine.
      if (!mayBeSplit) {
        const onDisk = async () => expect(await lane.stagedOnDisk()).toBeGreaterThan(stored);
        await vi.waitFor(onDisk, { timeout: 60_000, interval: 10 });
      }
      resumption.storedMs = performance.now() - sentMs;
      await kill(moment.afterMs);
    };
    const killing = isKilled && moment.at === "any time" ? kill(moment.afterMs) : undefined;
    const words = `[[delay-checkpoint ${lateMs}]] ${script.directives} ${lane.pieces.make(random, PIECE_BYTES)} ${mark(index)}`;
    await client.say(words, { ...habits, whileRunning });
    await killing;
    const record = client.turns.at(-1);
    if (record !== undefined) faults.push(...turnFaults(record, script, false));
    if (record?.end !== "stop") faults.push(`turn ${index} ended by ${record?.end}`);
  }
  const allowed = scripts.flatMap(({ calls }) => calls);
  for (const [call, times] of client.executions) {
    if (times > allowed.filter((each) => each === call).length) faults.push(`${call} was run ${times} times`);
  }
  faults.push(...(await memoryFaults(client, mark(TURNS), habits)));
  resumption.continuity = client.continuities[repliesBefore];
  resumption.bytesAgain = lane.pieces.bytesAgain - bytesBefore;
  return { faults: faults.map((fault) => `seed ${seed}: ${fault}`), resumption };
}

/** The simulated model does not recognise its built-in tools in a transcript. */
function scriptWithCalls(random: Random, title: string): TurnScript {
  for (;;) {
    const script = randomTurn(random, title);
    if (script.rounds > 0 && !script.hasNatives) return script;
  }
}

describe(`${KILLS} gateways that are killed at random moments`, () => {
  const faults: string[] = [];
  const resumptions: Resumption[] = [];
  let lanes: Lane[] = [];
  beforeAll(async () => {
    lanes = await Promise.all(Array.from({ length: LANES }, () => Lane.open()));
    const seeds = Array.from({ length: Number(KILLS) }, (_, index) => Number(KILLS_FROM) + index);
    await spread(lanes, seeds, async (lane, seed) => {
      try {
        const played = await play(lane, seed);
        faults.push(...played.faults);
        resumptions.push(played.resumption);
      } catch (thrown) {
        faults.push(`seed ${seed}: ${thrown instanceof Error ? thrown.message : thrown}`);
      }
    });
    process.stdout.write(tally(resumptions));
  }, 1_800_000);
  afterAll(async () => {
    await Promise.all(lanes.map((lane) => lane.close()));
  });

  it("lose nothing and do nothing twice", () => {
    expect(faults.join("\n"), "KILLS=1 KILLS_FROM=<seed> plays a single one").toBe("");
    expect(resumptions).toHaveLength(Number(KILLS));
  });

  const staged = () => resumptions.filter(({ moment }) => moment.at === "staged");

  it("send nothing again when the checkpoint has arrived, before the calls or up to two seconds after", () => {
    expect(staged().filter(({ bytesAgain }) => bytesAgain > 0)).toEqual([]);
  });

  /** Possible continuities of a request that ends with a user message, whose checkpoint or predecessor may be lost. */
  const ofMessages = ["cold:new", "cold:edited", "warm"];

  it("send nothing again with results, whenever they were killed", () => {
    const withResults = resumptions.filter(({ continuity = "" }) => !ofMessages.includes(continuity));
    expect(withResults.filter(({ bytesAgain }) => bytesAgain > 0)).toEqual([]);
  });

  it("continue from the checkpoint of the calls", () => {
    const others = staged().filter(({ mayBeSplit, continuity }) => !mayBeSplit && continuity !== "resumed");
    expect(others).toEqual([]);
  });
});

function tally(resumptions: readonly Resumption[]): string {
  const counts = new Map<string, number>();
  for (const { moment, lateMs, mayBeSplit, continuity, bytesAgain } of resumptions) {
    const group = mayBeSplit ? ", calls with gaps" : "";
    const order = moment.at === "any time" ? "" : `, checkpoint ${lateMs > 0 ? "after" : "before"}${group}`;
    const row = `${moment.at}${order}: ${continuity}, ${bytesAgain > 0 ? "transcript sent again" : "nothing sent again"}`;
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([row, count]) => `  ${row}: ${count}`);
  const late = resumptions.filter(
    ({ moment, lateMs, mayBeSplit }) => moment.at === "staged" && lateMs > 0 && !mayBeSplit,
  );
  const storedMs = late.map((each) => each.storedMs).sort((a, b) => a - b);
  const [median, slowest] = [storedMs[storedMs.length >> 1] ?? 0, storedMs.at(-1) ?? 0].map(Math.round);
  const times = `  checkpoints after the calls on disk: median ${median} ms, slowest ${slowest} ms`;
  return `Gateways that were killed:\n${rows.join("\n")}\n${times}\n`;
}
