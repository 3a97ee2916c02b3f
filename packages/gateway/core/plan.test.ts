import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { userTurn } from "../../../testing/backends/scripted/index.js";
import { ManualClock } from "../../../testing/manual-clock.js";
import { sampleRun } from "../../../testing/samples/sample-run.js";
import { assistant, results, tool, user } from "../../../testing/samples/sample-turns.js";
import type { BackendName, Exchange } from "../backends/backend.js";
import { createMemoryStore, newLineage, type Store } from "../store/index.js";
import type { Message, Turn } from "../turn/turn.js";
import { planTurn, type TurnPlan } from "./plan.js";
import { keyUnder, settingsKey, transcriptKeys } from "./sessions/fingerprint.js";
import { type Known, KnownConversation } from "./sessions/known.js";
import { type ParkedRun, ParkingLot } from "./sessions/parking.js";
import { type CallOrigin, randomIds, savePosition, seenSettings } from "./sessions/positions.js";

const calling = assistant("", "one");
const result = results("one");
const pictured: Message = {
  role: "user",
  content: [{ type: "image", mimeType: "image/png", data: Buffer.of(1) }],
};
const answer = assistant("b");
const callingTwo = assistant("", "one", "two");

const tools = [tool("tool")];
const turnOf = (messages: readonly Message[], rest: Partial<Turn> = {}) => userTurn("", { messages, tools, ...rest });

/** Fails when a plan touches the exchange: planning must have no effects. */
const untouchable: Exchange = new Proxy({} as Exchange, {
  get(_, name) {
    throw new Error(`a plan asked the exchange for ${String(name)}`);
  },
});

/** A run that was parked after the messages of these keys. */
const parkedAt = (key: string, bareKey = `bare ${key}`): ParkedRun =>
  sampleRun(untouchable, {
    knownReminders: new Set(["sent to the run"]),
    keys: new Set([key]),
    bareKeys: new Set([bareKey]),
    carriers: new Map([["one", "anything"]]),
    madeUnder: seenSettings(userTurn(""), "default"),
  });

/** Calls that were made after the messages of these keys. */
const madeAt = (key: string, bareKey = `bare ${key}`): CallOrigin => ({
  keys: new Set([key]),
  bareKeys: new Set([bareKey]),
});

/** A conversation of which only this is known. Each key is the number of its messages. */
const knowing = (messages: readonly Message[], rest: Partial<Known> = {}): Known => ({
  settings: "settings",
  keyAt: String,
  countAt: ({ keys }) => [0, ...messages.keys()].findIndex((_, at) => keys.has(`${at}`)),
  bareKeys: [0, ...messages.keys()].map((_, at) => `bare ${at}`),
  parked: undefined,
  search: { found: undefined, hasAny: false },
  foundUnderOtherSettings: undefined,
  fate: undefined,
  origin: undefined,
  hasEmptyReply: false,
  seenUnder: undefined,
  newId: "new",
  newLineage: "of a new one",
  isLeft: ({ wasLeft }) => wasLeft,
  ...rest,
});

const seenUnder = seenSettings(userTurn(""), "default");

/** A checkpoint that was found, with the messages after it. */
const found = (messages: readonly Message[], isExact = false, phase: "settled" | "staged" = "settled") => ({
  found: {
    from: { state: Buffer.of(1), messages },
    conversationId: "of the checkpoint",
    lineage: "of the checkpoint",
    calls: [],
    isExact,
    isNewest: isExact,
    wasLeft: phase === "staged",
    phase,
    knownReminders: new Set(["sent before"]),
  },
  hasAny: true,
});

/** The same, when a later run may have ended with unanswered calls. */
const left = (search: ReturnType<typeof found>) => ({ ...search, found: { ...search.found, wasLeft: true } });

/** A checkpoint from before the newest reply. */
const foundBefore = (reply: readonly Message[]) => {
  const search = found(reply);
  return { ...search, found: { ...search.found, isNewest: true } };
};

const asked = [user("a"), calling];
const answered = [...asked, result];
const next = [user("a"), answer, user("c")];
const half = [user("a"), callingTwo, result];
const dropped = [...asked, user("never mind")];
const hurried = [...answered, user("quick!")];
const waiting = parkedAt("2");
const underOthers = parkedAt("elsewhere", "bare 2");
const madeHere = madeAt("2");
const staged = found([], true, "staged");
const atAnswer = found([user("c")], true);
const beforeAnswer = foundBefore(next.slice(1));
const beforeCalls = foundBefore([calling, user("never mind")]);

/** Turns by their plan, each with what is known about its conversation. */
const rows: Record<string, [name: string, messages: readonly Message[], known?: Partial<Known>][]> = {
  "results, warm": [
    ["results for the waiting run", answered, { parked: waiting }],
    [
      "results that come in pieces, for the run that was parked at the first of them",
      [...asked, result, calling, result],
      { parked: waiting },
    ],
    ["a message without words after results", [...answered, user(" ")], { parked: waiting }],
    [
      "words among incomplete results",
      [user("a"), callingTwo, user("quick!"), result],
      { parked: { ...waiting, seenCalls: new Set(["one", "two"]) } },
    ],
    [
      "words after the results of all calls except held-back ones",
      hurried,
      { parked: { ...waiting, seenCalls: new Set(["one", "held back"]) } },
    ],
    ["some results for a waiting run, which repeats the other calls itself", half, { parked: waiting }],
  ],
  "resume, warm": [
    ["a settled checkpoint, and only new words", next, { search: atAnswer }],
    [
      "results of calls that the model wrote as text, which no run waits for",
      answered,
      { origin: madeHere, search: found([result], true) },
    ],
    [
      "checkpoints of these settings and of others at the same position",
      next,
      { search: atAnswer, foundUnderOtherSettings: atAnswer.found },
    ],
  ],
  "resume, cold:edited": [
    ["a checkpoint further back", next, { search: found(next.slice(1)) }],
    [
      "words instead of results, with a different reply than the run's",
      dropped,
      { parked: parkedAt("elsewhere"), search: beforeCalls },
    ],
    ["words instead of results of unknown calls", dropped, { search: beforeCalls }],
  ],
  "resume, resumed": [
    ["a checkpoint that waits for these results, whose run is gone", answered, { search: staged, fate: "lost" }],
    [
      "a checkpoint that waits for these results, from before a restart",
      answered,
      { search: staged, origin: madeHere },
    ],
    [
      "a checkpoint that waits for these results, and a run whose lease has ended",
      answered,
      { search: staged, fate: "expired" },
    ],
    [
      "words instead of results, and the state from before the calls",
      dropped,
      { parked: waiting, search: beforeCalls },
    ],
    ["words instead of results, when the run is gone", dropped, { origin: madeHere, search: beforeCalls }],
    ["words after half an answer, and the state from before it", next, { search: beforeAnswer }],
    [
      "a state from before the newest reply, and one of other settings further back",
      next,
      { search: beforeAnswer, foundUnderOtherSettings: found(next).found },
    ],
    [
      "results whose run is gone, and the state from before the calls",
      answered,
      { origin: madeHere, search: foundBefore([calling, result]) },
    ],
    [
      "words after results that can carry none, and the state from before the calls",
      hurried,
      {
        parked: { ...waiting, carriers: new Map([["one", "nothing"]]) },
        search: foundBefore([calling, result, user("quick!")]),
      },
    ],
  ],
  "cold, cold:expired": [
    ["results for a run whose lease has ended, and no checkpoint", answered, { fate: "expired", origin: madeHere }],
  ],
  "cold, cold:restarted": [
    ["results for a run that was lost, and no checkpoint", answered, { fate: "lost", origin: madeHere }],
    ["results for a run from before a restart, and no checkpoint", answered, { origin: madeHere }],
  ],
  "resume, cold:restarted": [
    [
      "results for a run from before a restart, and a checkpoint further back",
      answered,
      { origin: madeHere, search: found(answered.slice(1)) },
    ],
  ],
  "cold, cold:raced": [["results that another request brought first", answered, { fate: "raced" }]],
  "resume, cold:raced": [
    [
      "results that another request brought first, and the checkpoint that waits for them",
      answered,
      { fate: "raced", search: staged },
    ],
    [
      "results whose run another request has taken, and the state from before the calls",
      answered,
      { fate: "raced", origin: madeHere, search: foundBefore([calling, result]) },
    ],
  ],
  "cold, cold:unknown-call": [["results of unknown calls", answered]],
  "cold, cold:settings-changed": [
    ["results of calls that were made under other settings", answered, { origin: madeAt("elsewhere", "bare 2") }],
    ["results under other settings than the run's", answered, { parked: underOthers }],
    [
      "results without the tool that the run has called",
      answered,
      {
        parked: underOthers,
        foundUnderOtherSettings: {
          ...staged.found,
          calls: [{ id: "one", upstreamId: "up", name: "gone", input: "{}" }],
        },
      },
    ],
    ["a conversation that was held under other settings", next, { seenUnder }],
  ],
  "cold, cold:edited": [
    ["results of calls that were made in another history", answered, { origin: madeAt("elsewhere") }],
    ["results in another history than the run's", answered, { parked: parkedAt("elsewhere") }],
    ["a conversation whose checkpoints cannot be resumed", next, { search: { found: undefined, hasAny: true } }],
    ["a conversation in which a reply said nothing", next, { hasEmptyReply: true }],
  ],
  "cold, cold:superseded": [
    ["words instead of results", dropped, { parked: waiting, search: { found: undefined, hasAny: true } }],
    [
      "words after results that can carry none",
      hurried,
      { parked: { ...waiting, carriers: new Map([["one", "nothing"]]) } },
    ],
    [
      "an image after results that can carry only words",
      [...answered, pictured],
      { parked: { ...waiting, carriers: new Map([["one", "words"]]) } },
    ],
    ["words after an answer that the run never gave", [...answered, answer, user("go on")], { parked: waiting }],
    [
      "words instead of the last results",
      [user("a"), callingTwo, result, user("never mind")],
      { parked: { ...waiting, seenCalls: new Set(["one", "two"]) } },
    ],
  ],
  "resume, warm:settings-changed": [
    [
      "words instead of results, under other settings",
      dropped,
      {
        parked: underOthers,
        foundUnderOtherSettings: beforeCalls.found,
      },
    ],
    [
      "results under other tools than the run's, which has left a checkpoint",
      answered,
      { parked: underOthers, foundUnderOtherSettings: staged.found },
    ],
    [
      "a settled checkpoint of other settings, and only new words",
      next,
      { foundUnderOtherSettings: atAnswer.found, seenUnder },
    ],
    [
      "a checkpoint of other settings, newer than the one of these",
      next,
      { search: found(next.slice(1)), foundUnderOtherSettings: atAnswer.found },
    ],
  ],
  "results, warm:steered": [
    ["words before results", [...asked, user("quick!"), result], { parked: waiting }],
    ["words after results", hurried, { parked: waiting }],
    ["an image after results that can carry it", [...answered, pictured], { parked: waiting }],
  ],
  "results, warm:settings-changed": [
    [
      "results under another system prompt than the run's, with the same tools",
      answered,
      { parked: { ...underOthers, tools } },
    ],
  ],
  "resume, cold:settings-changed": [
    [
      "a checkpoint of other settings further back",
      next,
      { foundUnderOtherSettings: found(next.slice(1)).found, seenUnder },
    ],
  ],
  "resume, cold:superseded": [
    [
      "an abandoned run, and a checkpoint before it",
      [...next, calling, user("never mind")],
      { parked: parkedAt("4"), search: found([user("c"), calling, user("never mind")]) },
    ],
  ],
  "cold, cold:new": [["an unknown conversation", next]],
  "repeat-calls, cold:unknown-call": [["some results, without a run that waits for the others", half]],
  "repeat-calls, cold:restarted": [["some results of calls from before a restart", half, { origin: madeHere }]],
  "repeat-calls, cold:edited": [
    ["some results in another history than the run's", half, { parked: parkedAt("elsewhere") }],
  ],
};

describe("the plan for a turn", () => {
  describe.each(Object.entries(rows))("is %s", (plan, turns) => {
    it.each(turns)("with %s", (_, messages, known) => {
      const { kind, continuity } = planTurn(turnOf(messages), knowing(messages, known));
      expect(`${kind}, ${continuity}`).toBe(plan);
    });
  });

  it("names the run that the client has abandoned, unless results may still come for it", () => {
    const parked = parkedAt("elsewhere");
    const plans = [
      planTurn(turnOf(answered), knowing(answered, { parked })),
      planTurn(turnOf(answered), knowing(answered, { parked, search: staged })),
      planTurn(turnOf(half), knowing(half, { parked })),
    ];
    expect(plans.map((plan) => [plan.kind, "superseded" in plan && plan.superseded === parked])).toEqual([
      ["cold", true],
      ["resume", true],
      ["repeat-calls", false],
    ]);
  });

  it("puts words into the last result that can carry them, and remembers their reminders", () => {
    const words = user("quick! <system-reminder>late</system-reminder>");
    const messages = [user("a"), callingTwo, results("one", "two"), words];
    const parked = {
      ...waiting,
      seenCalls: new Set(["one", "two"]),
      carriers: new Map([
        ["one", "anything"],
        ["two", "nothing"],
      ] as const),
    };
    const plan = planTurn(turnOf(messages), knowing(messages, { parked }));
    expect(plan).toMatchObject({ continuity: "warm:steered", steering: { words: [words], carrier: "one" } });
    expect("conversation" in plan && plan.conversation).toMatchObject({ settings: "settings", bareKey: "bare 4" });
    expect("conversation" in plan && plan.conversation.knownReminders.size).toBe(2);
  });

  it("lets the last call carry the words, whatever the order of the results", () => {
    const messages = [user("a"), callingTwo, results("two", "one"), user("quick!")];
    const parked = {
      ...waiting,
      seenCalls: new Set(["one", "two"]),
      carriers: new Map([
        ["one", "anything"],
        ["two", "anything"],
      ] as const),
    };
    const plan = planTurn(turnOf(messages), knowing(messages, { parked }));
    expect(plan).toMatchObject({ continuity: "warm:steered", steering: { carrier: "two" } });
  });

  it("says which calls to send again", () => {
    expect(planTurn(turnOf(half), knowing(half))).toMatchObject({ calls: [{ id: "two" }] });
  });

  it("continues the conversation of the run or the checkpoint, or begins a new one", () => {
    const conversationOf = (plan: TurnPlan) => "conversation" in plan && plan.conversation;
    expect(conversationOf(planTurn(turnOf(answered), knowing(answered, { parked: waiting })))).toEqual({
      id: "of the run",
      lineage: "of the run",
      settings: "settings",
      bareKey: "bare 3",
      firstKey: "bare 1",
      knownReminders: new Set(["sent to the run"]),
    });
    expect(conversationOf(planTurn(turnOf(next), knowing(next, { search: atAnswer })))).toMatchObject({
      id: "of the checkpoint",
      lineage: "of the checkpoint",
      knownReminders: new Set(["sent before"]),
    });
    expect(conversationOf(planTurn(turnOf(next), knowing(next)))).toMatchObject({
      id: "new",
      lineage: "of a new one",
      knownReminders: new Set(),
    });
  });

  it("sends the whole transcript, or the messages since the checkpoint", () => {
    expect(planTurn(turnOf(next), knowing(next))).toMatchObject({ messages: next });
    const since = next.slice(2);
    expect(planTurn(turnOf(next), knowing(next, { search: found(since, true) }))).toMatchObject({
      state: Buffer.of(1),
      messages: since,
    });
  });
});

describe("the id of the conversation", () => {
  const words = [user("a"), answer, user("b")];
  const idOf = (messages: readonly Message[], known: Partial<Known>) => {
    const plan = planTurn(turnOf(messages), knowing(messages, known));
    return "conversation" in plan ? plan.conversation : undefined;
  };

  it("stays the same when no call is open", () => {
    expect(idOf(words, { search: found([user("b")], true) })).toMatchObject({ id: "of the checkpoint" });
    expect(idOf(answered, { parked: waiting })).toMatchObject({ id: "of the run" });
  });

  it.each([
    ["a run that waited for results is resumed", answered, { search: staged }],
    ["a run may have been left with its calls", answered, { search: left(found(answered.slice(1))) }],
    ["another run of the conversation waits", words, { search: found([user("b")], true), isLeft: () => true }],
  ])("is a new one when %s", (_, messages, known) => {
    expect(idOf(messages, known)).toMatchObject({ id: "new", formerId: "of the checkpoint" });
  });
});

describe("the reason for a cold request, from the stored rows", () => {
  let store: Store;
  let lot: ParkingLot;
  beforeEach(() => {
    store = createMemoryStore({ now: () => 0 });
    lot = new ParkingLot(new ManualClock(), { leaseMs: 1_000, maxParkedRuns: 10 });
  });
  afterEach(() => lot.close());

  const plan = (turn: Turn, backend: BackendName = "agent", from = store) =>
    planTurn(
      turn,
      new KnownConversation(
        turn,
        { owner: "me", backend, can: { takesNewSettings: backend === "agent" } },
        { store: from, lot, newIds: randomIds },
      ),
    );
  const continuity = (turn: Turn, backend?: BackendName) => plan(turn, backend).continuity;

  /** Stores the rows of a reply that ended with the last of these messages. */
  function keep(turn: Turn, phase: "staged" | "settled"): void {
    const bareKey = transcriptKeys(turn.messages).at(-1) ?? "";
    const key = keyUnder(`agent.${settingsKey(turn)}`, bareKey);
    const last = turn.messages.at(-1);
    const blocks = last?.role === "assistant" ? last.content : [];
    savePosition(store, {
      owner: "me",
      lineage: newLineage(),
      firstKey: transcriptKeys(turn.messages)[1] ?? "",
      callIds: blocks.flatMap((block) => (block.type === "call" ? [block.id] : [])),
      checkpoint: { state: Buffer.of(1), conversationId: "c", phase, calls: [], memo: "" },
      ...seenSettings(turn, "default"),
      backend: "agent",
      key,
      bareKey,
    });
  }

  it("is not a changed prompt, for a backend that takes one with every run", () => {
    const history = [user("a"), answer];
    keep(turnOf(history), "settled");
    expect(continuity(turnOf([...history, user("c")]))).toBe("warm");
    expect(plan(turnOf([...history, user("c")], { system: "other" }))).toMatchObject({
      kind: "resume",
      continuity: "warm:settings-changed",
      conversation: { id: "c" },
      messages: [user("c")],
    });
  });

  it("is a changed backend: none can read the state of another", () => {
    const history = [user("a"), answer];
    keep(turnOf(history), "settled");
    expect(plan(turnOf([...history, user("c")]), "cli")).toMatchObject({
      kind: "cold",
      continuity: "cold:settings-changed",
    });
  });

  it("is none when the prompt has changed since the calls, and their checkpoint is resumed", () => {
    keep(turnOf([user("a"), calling]), "staged");
    expect(plan(turnOf(answered, { system: "other" }))).toMatchObject({ kind: "resume", continuity: "resumed" });
    expect(plan(turnOf(answered, { tools: [...tools, tool("more")] })).kind).toBe("resume");
    expect(continuity(turnOf([user("other words"), calling, result]))).toBe("cold:edited");
    expect(continuity(turnOf(answered, { system: "other" }), "cli")).toBe("cold:settings-changed");
  });

  it("is found with a bounded number of lookups, however long the transcript is", () => {
    const messages = Array.from({ length: 10_000 }, () => [user("a"), answer]).flat();
    let looks = 0;
    const counting = new Proxy(store, {
      get(target, name) {
        if (name === "get" || name === "has") looks++;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    expect(plan(turnOf([...messages, user("b")]), "agent", counting).continuity).toBe("cold:new");
    expect(looks).toBe(1); // for its first message
    keep(turnOf(messages.slice(0, 1)), "settled"); // another conversation with the same beginning
    expect(plan(turnOf([...messages, user("b")]), "agent", counting).continuity).toBe("cold:new");
    expect(looks).toBeGreaterThan(1_000);
    expect(looks).toBeLessThanOrEqual(messages.length / 2 + 2_500); // one for each assistant message, and a few for the reason
  });

  it("is not a changed prompt if the only checkpoint waits for results that never came", () => {
    const history = [user("a"), calling];
    keep(turnOf(history), "staged");
    expect(continuity(turnOf([...history, user("never mind")]))).toBe("cold:edited");
  });
});
