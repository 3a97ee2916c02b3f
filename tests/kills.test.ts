import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Simulator, startSimulator } from "../simulator/index.js";
import { tool } from "../testing/clients/tool-client.js";
import { type GatewayProcess, startGatewayProcess } from "../testing/programs/gateway-process.js";
import { Pieces } from "./day/pieces.js";
import { spread } from "./replay/lane.js";
import { memoryFaults } from "./replay/memory-faults.js";
import { Random } from "./replay/random.js";
import { turnFaults } from "./replay/random-faults.js";
import { randomTurn, type TurnScript } from "./replay/random-turn.js";
import { type Habits, plainHabits, ToolUser } from "./replay/tool-user.js";

const LANES = 4;
/** `KILLS=1 KILLS_FROM=17` plays one conversation alone. */
const { KILLS = 200, KILLS_FROM = 0 } = process.env;
const TURNS = 3;
const PIECE_BYTES = 2_000;
/** A checkpoint that came this long before the end must be on disk. */
const SAFE_MS = 100;

const tools = [tool("weather", { place: { type: "string" } }), tool("lookup", { place: { type: "string" } })];

/** A gateway in its own process that can be killed and started again, on a simulated Cursor of its own. */
class Lane {
  readonly pieces = new Pieces();
  readonly simulator: Simulator;
  readonly #home = mkdtempSync(join(tmpdir(), "curlew-kills-"));
  #gateway: GatewayProcess | undefined;
  #isUp: Promise<void>;

  private constructor(simulator: (onClientMessage: (payload: Uint8Array) => void) => Simulator) {
    this.simulator = simulator((payload) => this.pieces.count(payload));
    this.#isUp = this.#start();
  }

  static async open(): Promise<Lane> {
    let onMessage = (_: Uint8Array) => {};
    const simulator = await startSimulator({ onClientMessage: (payload) => onMessage(payload) });
    return new Lane((listener) => {
      onMessage = listener;
      return simulator;
    });
  }

  readonly url = () => this.#gateway?.url ?? "";
  readonly isUp = () => this.#isUp;

  kill(): Promise<void> {
    this.#isUp = this.#isUp.then(async () => {
      await this.#gateway?.kill();
      await this.#start();
    });
    return this.#isUp;
  }

  async close(): Promise<void> {
    await this.#isUp;
    await this.#gateway?.kill();
    await this.simulator.close();
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    this.#gateway = await startGatewayProcess(this.simulator.url, this.#home);
  }
}

/**
 * When the gateway is killed: at a random moment after the beginning of a turn, or in one of its rounds, while the client runs its
 * tools and the checkpoint with the calls has been there for a while.
 */
type Moment = { at: "any time"; afterMs: number } | { at: "staged"; round: number; afterMs: number };

/** How conversations went on after the kill. */
interface Resumption {
  moment: Moment;
  lateMs: number;
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
    : { at: "staged", round: 0, afterMs: SAFE_MS + random.between(0, 300) };
  const resumption: Resumption = { moment, lateMs, continuity: undefined, bytesAgain: 0, seed };
  const mark = (index: number) => `(conversation ${seed}, message ${index})`;
  const faults: string[] = [];
  const habits: Habits = { ...plainHabits, stream: random.chance(0.7), reconnect: lane.isUp };
  for (const [index, script] of scripts.entries()) {
    const isKilled = index === killed;
    const staged = lane.simulator.stats().checkpointsStaged;
    let repliesBefore = client.continuities.length;
    let bytesBefore = lane.pieces.bytesAgain;
    const kill = async (afterMs: number) => {
      await sleep(afterMs);
      await lane.kill();
    };
    const whileRunning = async (round: number) => {
      if (!isKilled || moment.at !== "staged" || moment.round !== round) return;
      await vi.waitFor(() => expect(lane.simulator.stats().checkpointsStaged).toBeGreaterThan(staged), 60_000);
      repliesBefore = client.continuities.length;
      bytesBefore = lane.pieces.bytesAgain;
      await kill(moment.afterMs);
    };
    const killing = isKilled && moment.at === "any time" ? kill(moment.afterMs) : undefined;
    const words = `[[delay-checkpoint ${lateMs}]] ${script.directives} ${lane.pieces.make(random, PIECE_BYTES)} ${mark(index)}`;
    await client.say(words, { ...habits, whileRunning });
    await killing;
    const record = client.turns.at(-1);
    if (record !== undefined) faults.push(...turnFaults(record, script, false));
    if (record?.end !== "stop") faults.push(`turn ${index} ended by ${record?.end}`);
    if (!isKilled) continue;
    resumption.continuity = client.continuities[repliesBefore];
    resumption.bytesAgain = lane.pieces.bytesAgain - bytesBefore;
  }
  const allowed = scripts.flatMap(({ calls }) => calls);
  for (const [call, times] of client.executions) {
    if (times > allowed.filter((each) => each === call).length) faults.push(`${call} was run ${times} times`);
  }
  faults.push(...(await memoryFaults(client, mark(TURNS), habits)));
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
    expect(faults.join("\n"), "KILLS=1 KILLS_FROM=<seed> plays one alone").toBe("");
    expect(resumptions).toHaveLength(Number(KILLS));
  });

  const sentAgain = (isLate: boolean) =>
    resumptions.filter(
      ({ moment, lateMs, bytesAgain }) => moment.at === "staged" && lateMs > 0 === isLate && bytesAgain > 0,
    );

  it("send nothing again when the checkpoint came before the calls", () => {
    expect(sentAgain(false)).toEqual([]);
  });
});

function tally(resumptions: readonly Resumption[]): string {
  const counts = new Map<string, number>();
  for (const { moment, lateMs, continuity, bytesAgain } of resumptions) {
    const order = moment.at === "any time" ? "" : lateMs > 0 ? ", checkpoint after the calls" : ", checkpoint before";
    const row = `${moment.at}${order}: ${continuity}, ${bytesAgain > 0 ? "transcript sent again" : "nothing sent again"}`;
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([row, count]) => `  ${row}: ${count}`);
  return `Gateways that were killed:\n${rows.join("\n")}\n`;
}
