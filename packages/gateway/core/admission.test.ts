import { beforeEach, describe, expect, it } from "vitest";
import { scriptedBackend, userTurn } from "../../../testing/backends/scripted/index.js";
import { makeGateway } from "../../../testing/gateway/make-gateway.js";
import { ManualClock } from "../../../testing/manual-clock.js";
import {
  assistant,
  called,
  callOf,
  results,
  runContext,
  stopped,
  text,
  user,
} from "../../../testing/samples/sample-turns.js";
import type { Backend, Model } from "../backends/backend.js";
import { collect } from "../turn/collect.js";
import { GatewayError } from "../turn/error.js";
import type { RequestRecord } from "../turn/events/channels.js";
import type { Message, Turn } from "../turn/turn.js";
import type { Gateway } from "./gateway.js";
import type { GatewayDeps } from "./services.js";

type Guard = NonNullable<GatewayDeps["guard"]>;

const model = (id: string): Model => ({ id, name: id, aliases: [], canThink: false });
const done = [text("b"), stopped];
const asked = [user("a")];
const calling = [...asked, assistant("", "one")];
const answered = [...calling, results("one")];

let clock: ManualClock;
let questions: string[];
let verdict: ReturnType<Guard["admit"]> | GatewayError;
let gateway: Gateway;
let lookUp: () => Promise<readonly Model[]>;

/** Calls a tool first, then answers. */
const backend: Backend = {
  ...scriptedBackend({ steps: ({ messages }) => [messages.length === 1 ? [...callOf("one"), called] : done, done] }),
  models: () => lookUp(),
};

beforeEach(() => {
  clock = new ManualClock();
  questions = [];
  verdict = { warnings: [], waitMs: 0 };
  lookUp = () => Promise.resolve([model("default")]);
  const guard: Guard = {
    opening: undefined,
    admit(_, place) {
      questions.push(place);
      if (verdict instanceof GatewayError) throw verdict;
      return verdict;
    },
    admitModel(_, place) {
      questions.push(`model ${place}`);
      return [];
    },
    admitRound() {},
  };
  gateway = makeGateway(backend, { guard, clock });
});

async function run(messages: readonly Message[], changes: Partial<Turn> = {}) {
  const context = runContext();
  const reply = await gateway.run(userTurn("", { messages, ...changes }), context);
  await collect(reply.events);
  return { record: context.record, reply };
}

/** Runs a turn that pauses with a call. */
async function pause(): Promise<RequestRecord> {
  const { record } = await run(asked);
  questions = [];
  return record;
}

describe("the owner's limits are checked once for each turn, by its place", () => {
  it("for a new and an ongoing turn", async () => {
    for (const messages of [asked, [...asked, assistant("b"), user("c")]]) await run(messages);
    expect(questions).toEqual(["new", "model new", "ongoing", "model ongoing"]);
  });

  it.each<[string, readonly Message[], string, boolean]>([
    ["results", answered, "results", true],
    ["results with only a reminder", [...answered, user("<system-reminder>x</system-reminder>")], "results", true],
    ["words beside the results", [...answered, user("also this")], "words", true],
    ["words after an edited history", [user("other"), assistant("", "one"), results("one")], "words", false],
  ])("while a run waits: %s", async (_, messages, place, isSameTurn) => {
    const before = await pause();
    const { record } = await run(messages);
    expect(questions).toEqual([place, `model ${place}`]);
    expect(record.turnId === before.turnId).toBe(isSameTurn);
    expect(record.thread).toBe(before.thread);
  });

  it("for results whose run was taken while their model was looked up", async () => {
    await pause();
    let list: (models: readonly Model[]) => void = () => {};
    lookUp = () => new Promise((resolve) => (list = resolve));
    const waiting = run(answered, { model: "other" });
    await run(answered);
    list([model("default"), model("other")]);
    const { reply } = await waiting;
    expect(questions).toEqual(["results", "model results", "ongoing", "model ongoing"]);
    expect(reply.continuity).toBe("cold:raced");
  });
});

describe("a gate", () => {
  it("that refuses leaves the run parked and skips the later gates", async () => {
    await pause();
    verdict = new GatewayError("quota_exceeded", "enough");
    await expect(run([...answered, user("also this")])).rejects.toThrow("enough");
    expect(questions).toEqual(["words"]);
    expect(gateway.parkedRuns).toBe(1);
    verdict = { warnings: ["almost"], waitMs: 0 };
    const { reply } = await run(answered, { warnings: ["mine"] });
    expect([reply.continuity, reply.warnings]).toEqual(["warm", ["mine", "almost"]]);
  });

  it("that delays a turn is not checked again afterwards", async () => {
    verdict = { warnings: ["slow"], waitMs: 1_000 };
    const running = run(asked);
    await Promise.resolve();
    expect(questions).toEqual(["new"]);
    clock.advance(1_000);
    expect((await running).reply.warnings).toEqual(["slow"]);
    expect(questions).toEqual(["new", "model new"]);
  });

  it.each<[string, Partial<Turn>]>([
    ["limits", { maxTokens: 0, model: "unknown" }],
    ["tools", { toolChoice: { type: "required" }, model: "unknown" }],
    [
      "a format",
      { format: { type: "json-schema", name: "x", schema: { type: 1 }, param: "format" }, model: "unknown" },
    ],
  ])("refuses %s that cannot be honoured before counting anything", async (_, changes) => {
    await expect(run(asked, changes)).rejects.toMatchObject({ code: "invalid_request" });
    expect(questions).toEqual([]);
  });
});
