import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tool } from "../../testing/clients/tool-client.js";
import type { CuttingRelay } from "../../testing/network/cutting-relay.js";
import { editHistory } from "./edit-history.js";
import { type Lane, openLane, spread } from "./lane.js";
import { memoryFaults } from "./memory-faults.js";
import { type PlannedTurn, type RandomConversation, randomConversation } from "./random-conversation.js";
import { turnFaults } from "./random-faults.js";
import { ToolUser } from "./tool-user.js";

const LANES = 24;
const LEASE_MS = 3_000;
const CONVERSATIONS = 500;
/** `REPLAY_SEED=17` plays a single conversation; `REPLAY_FROM=5000` plays others than usual. */
const { REPLAY_SEED: only, REPLAY_FROM: from = 0 } = process.env;

const text = { type: "string" };
const tools = [
  tool("weather", { place: text }),
  tool("lookup", { place: text }),
  tool("bash", { command: text }),
  tool("read", { path: text }),
  tool("fetch", { url: text }),
];

let lanes: Lane[];
beforeAll(async () => {
  const opening = Array.from({ length: LANES }, () =>
    openLane({ heartbeatMs: 300 }, { silenceMs: 2_500, leaseMs: LEASE_MS }),
  );
  lanes = await Promise.all(opening);
});
afterAll(async () => {
  await Promise.all(lanes.map((lane) => lane.close()));
});

interface Played {
  client: ToolUser;
  faults: string[];
}

async function play({ system, relay }: Lane, plan: RandomConversation): Promise<Played> {
  system.simulator.configure(plan.simulator);
  relay.plan(plan.cut);
  const client = new ToolUser(system.url, tools);
  const faults: string[] = [];
  const allowed = new Map<string, number>();
  for (const turn of plan.turns) {
    if (turn.edit !== undefined) editHistory(client.messages, turn.edit);
    for (const call of turn.calls) allowed.set(call, (allowed.get(call) ?? 0) + 1);
    const habits = {
      ...turn.habits,
      typesAfter: (calls: number) => typedAfter(turn, calls),
      whileRunning: (round: number) => interrupt(turn, round, client, relay),
    };
    const isWhole = await client.say(`${turn.directives} ${turn.mark}`, habits);
    const record = client.turns.at(-1);
    if (record !== undefined)
      faults.push(...turnFaults(record, turn, plan.isCalm).map((fault) => `${turn.mark}: ${fault}`));
    if (!isWhole) break;
  }
  for (const [call, times] of client.executions) {
    if (times > (allowed.get(call) ?? 0)) faults.push(`${call} was run ${times} times`);
  }
  if (client.turns.at(-1)?.end !== "error") faults.push(...(await memoryFaults(client, plan.lastMark)));
  if (plan.isCalm) faults.push(...calmFaults(client, plan));
  return { client, faults };
}

/** Checks that everything stayed on its run. */
function calmFaults({ continuities }: ToolUser, { turns }: RandomConversation): string[] {
  const typed = turns.flatMap((turn) => turn.typed);
  const wanted = typed.map(() => "warm:steered");
  const special = continuities.filter((each) => each !== "warm");
  return special.join() === ["cold:new", ...wanted].join() ? [] : [`went on ${continuities}`];
}

function typedAfter({ typed, typedMarks }: PlannedTurn, calls: number): string | undefined {
  const index = typed.findIndex(({ afterCalls }) => afterCalls === calls);
  return index < 0 ? undefined : `${typed[index]?.directives} ${typedMarks[index]}`;
}

async function interrupt({ interlude }: PlannedTurn, round: number, client: ToolUser, relay: CuttingRelay) {
  if (interlude?.round !== round) return;
  switch (interlude.what) {
    case "slow":
      return sleep(LEASE_MS + 600);
    case "reworded":
      return editHistory(client.messages, "reworded");
    case "renamed":
      return client.renameCalls();
    default:
      relay.cutNow(interlude.what);
  }
}

describe("random conversations", () => {
  it("lose nothing and do nothing twice, whatever breaks", { timeout: 600_000 }, async () => {
    const seeds =
      only === undefined ? Array.from({ length: CONVERSATIONS }, (_, index) => Number(from) + index) : [Number(only)];
    const wrong: string[] = [];
    const ends = { "unbroken, whole": 0, "broken, whole": 0, "broken, whole after a retry": 0, "broken, error": 0 };
    const continuities: Record<string, number> = {};
    await spread(lanes, seeds, async (lane, seed) => {
      const plan = randomConversation(seed);
      try {
        const { client, faults } = await play(lane, plan);
        wrong.push(...faults.map((fault) => `seed ${seed}: ${fault}`));
        const isBroken = lane.relay.hasCut;
        const hasFailed = client.turns.at(-1)?.end === "error";
        if (!isBroken && (hasFailed || client.retries > 0)) wrong.push(`seed ${seed}: failed though nothing broke`);
        if (!isBroken) ends["unbroken, whole"]++;
        else if (hasFailed) ends["broken, error"]++;
        else ends[client.retries > 0 ? "broken, whole after a retry" : "broken, whole"]++;
        for (const each of client.continuities) continuities[each] = (continuities[each] ?? 0) + 1;
      } catch (thrown) {
        wrong.push(`seed ${seed}: ${thrown instanceof Error ? thrown.message : thrown}`);
      }
    });
    process.stdout.write(`Random conversations: ${JSON.stringify(ends)}\nReplies: ${JSON.stringify(continuities)}\n`);
    expect(wrong.join("\n"), "REPLAY_SEED=<seed> plays one alone").toBe("");
    for (const { system } of lanes) {
      // Parked runs of disconnected clients end with their lease.
      await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
      const stats = system.simulator.stats();
      expect(stats.execsAsked).toBe(stats.execsAnswered + stats.execsThrown + stats.execsAbandoned);
      expect(stats.queriesAsked).toBe(stats.queriesAnswered + stats.queriesAbandoned);
    }
  });
});
