import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { golden as messages } from "../../src/fronts/anthropic-messages/golden.cases.js";
import { golden as chat } from "../../src/fronts/openai-chat/golden.cases.js";
import { golden as responses } from "../../src/fronts/openai-responses/golden.cases.js";
import { startWholeSystem, type WholeSystem } from "../../testing/gateway/whole-system.js";
import type { GoldenDialect } from "../../testing/golden/dialect.js";
import { spread } from "./lane.js";
import { Random } from "./random.js";
import { turnFaults } from "./random-faults.js";
import { randomTurn, type TurnScript } from "./random-turn.js";
import { pictureOf, TypingUser } from "./typing-user.js";

const LANES = 6;
const CONVERSATIONS = 40;
const TYPING = 0.3;
/** `REPLAY_SEED=17` plays one conversation alone; `REPLAY_FROM=5000` plays others than usual. */
const { REPLAY_SEED: only, REPLAY_FROM: from = 0 } = process.env;
const MARK = /\(conversation \d+, (?:message|picture) [\d.]+\)/g;

interface Lane {
  system: WholeSystem;
  /** How often each mark went upstream. */
  sent: Map<string, number>;
}

let lanes: Lane[];
beforeAll(async () => {
  const opening = Array.from({ length: LANES }, async (): Promise<Lane> => {
    const sent = new Map<string, number>();
    const onClientMessage = (payload: Uint8Array) => {
      for (const [mark] of Buffer.from(payload).toString("latin1").matchAll(MARK))
        sent.set(mark, (sent.get(mark) ?? 0) + 1);
    };
    return { system: await startWholeSystem({ onClientMessage }), sent };
  });
  lanes = await Promise.all(opening);
});
afterAll(async () => {
  await Promise.all(lanes.map(({ system }) => system.close()));
});

/** Plays a conversation in which nothing breaks, and returns what is wrong. */
async function play({ system, sent }: Lane, dialect: GoldenDialect, seed: number): Promise<string[]> {
  const random = new Random(seed);
  const user = new TypingUser(system.url, dialect, {
    isStreamed: random.chance(0.7),
    isReversed: random.chance(0.5),
    isApart: random.chance(0.5),
  });
  const faults: string[] = [];
  const marks: string[] = [];
  const pictures: string[] = [];
  const runsBefore = system.simulator.stats().runs;
  const scripts: TurnScript[] = [];
  for (const index of Array(random.between(1, 4)).keys()) {
    const script = randomTurn(random, `turn ${index}`, TYPING);
    scripts.push(script);
    const mark = (kind: "message" | "picture", position: string) => {
      const text = `(conversation ${seed}, ${kind} ${position})`;
      (kind === "message" ? marks : pictures).push(text);
      return text;
    };
    const turn = await user.say(`${script.directives} ${mark("message", `${index}`)}`, (calls) => {
      const at = script.typed.findIndex(({ afterCalls }) => afterCalls === calls);
      const words = script.typed[at];
      if (words === undefined) return undefined;
      const text = `${words.directives} ${mark("message", `${index}.${at}`)}`;
      if (words.room !== "anything" || !random.chance(0.2)) return { text };
      return { text, picture: pictureOf(mark("picture", `${index}.${at}`)) };
    });
    faults.push(...turnFaults(turn, script, true).map((fault) => `turn ${index}: ${fault}`));
  }
  for (const [call, times] of user.executions) {
    const wanted = scripts.flatMap(({ calls }) => calls).filter((each) => each === call).length;
    if (times !== wanted) faults.push(`${call} was run ${times} times`);
  }
  const typed = scripts.flatMap((script) => script.typed);
  const wanted = typed.map(() => "warm:steered");
  const special = user.continuities.filter((each) => each !== "warm");
  if (special.join() !== ["cold:new", ...wanted].join()) faults.push(`went on ${user.continuities}`);
  const runs = system.simulator.stats().runs - runsBefore;
  if (runs !== scripts.length) faults.push(`${runs} runs for ${scripts.length} messages`);
  for (const each of [...marks, ...pictures]) {
    if (sent.get(each) !== 1) faults.push(`${each} went upstream ${sent.get(each) ?? 0} times`);
  }
  const { text } = await user.say("What did I say?", () => undefined);
  const said = text.match(MARK) ?? [];
  if (said.join() !== marks.join()) faults.push(`the model remembers ${said} instead of ${marks}`);
  return faults;
}

describe.each([chat, responses, messages])("words in tool rounds of random conversations, in $name", (dialect) => {
  it("reach the model once, are obeyed, and run nothing twice", { timeout: 600_000 }, async () => {
    const seeds =
      only === undefined ? Array.from({ length: CONVERSATIONS }, (_, index) => Number(from) + index) : [Number(only)];
    const wrong: string[] = [];
    await spread(lanes, seeds, async (lane, seed) => {
      lane.sent.clear();
      const faults = await play(lane, dialect, seed).catch((thrown) => [String(thrown)]);
      wrong.push(...faults.map((fault) => `seed ${seed}: ${fault}`));
    });
    expect(wrong.join("\n"), "REPLAY_SEED=<seed> plays one alone").toBe("");
  });
});
