import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { golden as messages } from "../../packages/gateway/fronts/anthropic-messages/golden.cases.js";
import { golden as chat } from "../../packages/gateway/fronts/openai-chat/golden.cases.js";
import { golden as responses } from "../../packages/gateway/fronts/openai-responses/golden.cases.js";
import type { LedgerEntry } from "../../packages/meter/ledger/entry.js";
import { openLedgerReader } from "../../packages/meter/ledger/index.js";
import type { Line } from "../../testing/golden/dialect.js";
import { ProcessSystem } from "../../testing/programs/process-system.js";
import { Random } from "../replay/random.js";
import { type Outcome, RecordedClient } from "./recorded-client.js";

/** For shorter or other games: `TURNS=40 LANES=1 SEED=3`. */
const { TURNS = 1_000, LANES = 4, SEED = 1 } = process.env;
const MAX_ROUNDS = 3;

const dialects = [chat, responses, messages] as const;
const tools = [{ name: "read", description: "Reads a file.", schema: { type: "object", properties: {} } }];

/** Events in a turn, by the client or the machine. */
const events = ["nothing", "nothing", "nothing", "repeats", "leaves", "abandons", "kill", "restart"] as const;

/** A gateway process on its own simulated Cursor, with the turns that each side has seen. */
class Lane {
  readonly client: RecordedClient;
  /** How often each turn ended, by its input tokens, which are unique per turn. */
  readonly endedAtCursor: ReadonlyMap<number, number>;
  readonly seenByClient = new Map<number, number>();
  readonly system: ProcessSystem;
  readonly #random: Random;
  readonly #index: number;

  private constructor(index: number, system: ProcessSystem, endedAtCursor: Map<number, number>) {
    this.#index = index;
    this.system = system;
    this.endedAtCursor = endedAtCursor;
    this.client = new RecordedClient(`lane${index}`);
    this.#random = new Random(Number(SEED) * 100 + index);
  }

  static async open(index: number): Promise<Lane> {
    const ended = new Map<number, number>();
    const system = await ProcessSystem.start({ onTurnEnded: ({ input }) => add(ended, input) });
    return new Lane(index, system, ended);
  }

  /** Plays turns, each in a new conversation or the current one. */
  async play(turns: number): Promise<void> {
    let lines: Line[] = [];
    for (let turn = 0; turn < turns; turn++) {
      if (this.#random.chance(0.4)) lines = [];
      lines = await this.#turn(lines, (this.#index + 1) * 1_000_000 + turn);
    }
    // Ends what is still open; no client waits for it.
    await this.system.gateway.stop();
  }

  async #turn(before: readonly Line[], input: number): Promise<Line[]> {
    const random = this.#random;
    const dialect = random.pick(dialects);
    const stream = random.chance(0.7);
    const event = random.pick(events);
    const rounds = random.between(0, MAX_ROUNDS);
    const text = this.#words(input, rounds);
    const send = (lines: readonly Line[], leaves = false): Promise<Outcome> =>
      this.client.send({ lines, tools }, { url: this.system.gateway.url, dialect, stream, leaves });
    let lines: Line[] = [...before, { role: "user", text }];
    const at = random.between(0, rounds);
    for (let round = 0; ; round++) {
      const isNow = round === at;
      if (isNow && event === "restart") await this.#restart();
      if (isNow && event === "repeats") await send(lines, true);
      const killing = isNow && event === "kill" ? this.#killAfter(random.between(0, 60)) : undefined;
      const outcome = await send(lines, isNow && event === "leaves");
      await killing;
      if (outcome.kind !== "answered") return before.slice();
      const { answer } = outcome;
      lines = [...lines, { role: "assistant", answer }];
      if (answer.ending !== "calls") {
        add(this.seenByClient, input);
        if (random.chance(0.1)) await this.#killAfter(0); // right after the last byte
        return lines;
      }
      if (isNow && event === "abandons") return before.slice();
      const results = answer.calls.map(({ id }) => ({ id, text: `result of ${id}` }));
      lines.push({ role: "results", results });
    }
  }

  #words(input: number, rounds: number): string {
    const random = this.#random;
    const parts = Array.from({ length: rounds }, (_, round) => `[[call read {"round":${round}}]] then`);
    if (random.chance(0.15))
      parts.push(random.pick(["[[fail unavailable]]", "[[fail resource_exhausted]]", "[[drop]]"]));
    parts.push(`[[say The answer is ${input}.]]`, `[[usage ${input} ${random.between(500, 900)} 0 0 0]]`);
    return parts.join(" ");
  }

  async #killAfter(ms: number): Promise<void> {
    await sleep(ms);
    await this.system.gateway.kill();
    await this.system.startAgain();
  }

  async #restart(): Promise<void> {
    await this.system.gateway.stop();
    await this.system.startAgain();
  }
}

function add(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

describe(`the ledger after ${TURNS} random turns`, () => {
  const entries = new Map<Lane, readonly LedgerEntry[]>();
  beforeAll(async () => {
    await Promise.all(
      Array.from({ length: Number(LANES) }, async (_, index) => {
        const lane = await Lane.open(index);
        await lane.play(Math.ceil(Number(TURNS) / Number(LANES)));
        const reader = await openLedgerReader(join(lane.system.home, "ledger"));
        entries.set(lane, reader.entries({ limit: 1_000_000 }));
      }),
    );
  }, 1_800_000);
  afterAll(() => Promise.all([...entries.keys()].map(({ system }) => system.close())));

  const all = (): [Lane, readonly LedgerEntry[]][] => [...entries];

  it("has one entry per accepted request, and no others", () => {
    for (const [{ client }, written] of all()) {
      const ids = written.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect([...client.accepted].filter((id) => !ids.includes(id))).toEqual([]);
      expect(ids.filter((id) => !client.sent.has(id))).toEqual([]);
    }
  });

  it("has the usage of every turn that ended for the client, and never more than Cursor counted", () => {
    for (const [lane, written] of all()) {
      const booked = new Map<number, number>();
      for (const { tokens } of written) if (tokens !== null && !tokens.estimated) add(booked, tokens.input);
      expect(booked.size).toBeGreaterThan(0);
      const missed = [...lane.seenByClient].filter(([input, count]) => (booked.get(input) ?? 0) < count);
      const invented = [...booked].filter(([input, count]) => count > (lane.endedAtCursor.get(input) ?? 0));
      expect({ missed, invented }).toEqual({ missed: [], invented: [] });
    }
  });

  it("marks all other requests", () => {
    for (const [, written] of all()) {
      const isMarked = ({ tokens, context, outcome }: LedgerEntry) =>
        outcome !== "ok" || tokens !== null || context?.estimated === true;
      expect(written.filter((entry) => !isMarked(entry))).toEqual([]);
    }
    const outcomes = new Set(all().flatMap(([, written]) => written.map(({ outcome }) => outcome)));
    if (Number(TURNS) >= 1_000)
      expect([...outcomes]).toEqual(expect.arrayContaining(["ok", "interrupted", "client-left"]));
  });

  it("has sums that match its entries", async () => {
    for (const [lane, written] of all()) {
      const reader = await openLedgerReader(join(lane.system.home, "ledger"));
      const days = reader.rollUps("day", 0, Number.MAX_SAFE_INTEGER);
      const hours = reader.rollUps("hour", 0, Number.MAX_SAFE_INTEGER);
      const input = written.reduce((sum, { tokens }) => sum + (tokens?.input ?? 0), 0);
      for (const rollUps of [days, hours]) {
        expect(rollUps.reduce((sum, { tokens }) => sum + tokens.input, 0)).toBe(input);
        expect(rollUps.reduce((sum, { requests }) => sum + requests, 0)).toBe(written.length);
      }
    }
  });
});
