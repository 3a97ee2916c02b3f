import { beforeEach, describe, expect, it } from "vitest";
import { userTurn } from "../../../../testing/backends/scripted/index.js";
import { keepCheckpoint } from "../../../../testing/samples/sample-position.js";
import { assistant, results, user } from "../../../../testing/samples/sample-turns.js";
import { createMemoryStore, type Store } from "../../store/index.js";
import type { Message } from "../../turn/turn.js";
import { findCheckpoint, missingCalls, openingKey, recordedCalls } from "./checkpoints.js";
import { transcriptKeys } from "./fingerprint.js";
import { checkpointAt } from "./positions.js";

let store: Store;
beforeEach(() => {
  store = createMemoryStore({ now: () => 0 });
});

const keysOf = (messages: readonly Message[]) => transcriptKeys(messages);
const lookups = (keys: readonly string[]) => ({
  after: (count: number) => keys[count],
  opening: (count: number) => openingKey(keys[count] ?? ""),
});
const reading = (owner: string) => (key: string) => checkpointAt(store, owner, key)?.checkpoint;
const find = (messages: readonly Message[], owner = "me") =>
  findCheckpoint(reading(owner), lookups(keysOf(messages)), messages).found;

/** Stores a checkpoint after these messages. */
function keep(messages: readonly Message[], phase: "staged" | "settled" = "settled", callIds: string[] = []): void {
  const calls = callIds.map((id) => ({ id, upstreamId: `up-${id}`, name: "tool", input: "{}" }));
  const state = Buffer.from(String(messages.length));
  keepCheckpoint(store, keysOf(messages).at(-1) ?? "", { state, phase, calls });
}

describe("the checkpoint to resume from", () => {
  const first = [user("a"), assistant("b")];
  const second = [...first, user("c"), assistant("d")];

  it("is the newest one within the transcript", () => {
    keep(first);
    keep(second);
    expect(find([...second, user("e")])).toMatchObject({ isExact: true, from: { messages: [user("e")] } });
    expect(find([...first, user("other")])).toMatchObject({ isExact: true, from: { messages: [user("other")] } });
  });

  it("may lie further back, followed by the later messages", () => {
    keep(first);
    const since = [user("c"), assistant("edited"), user("e")];
    expect(find([...first, ...since])).toMatchObject({ isExact: false, from: { messages: since } });
  });

  it("is not found after a different beginning or for another owner", () => {
    keep(first);
    const messages = [user("x"), assistant("b"), user("e")];
    expect(find(messages)).toBeUndefined();
    const same = [...first, user("e")];
    expect(find(same, "you")).toBeUndefined();
  });

  it("that waits for results is found only with all of them, and nothing else", () => {
    const asked = [user("a"), assistant("b", "one", "two")];
    keep(asked, "staged", ["one", "two"]);
    expect(find([...asked, results("one", "two")])).toMatchObject({
      phase: "staged",
      isExact: true,
      from: { messages: [] },
    });
    expect(find([...asked, results("one")])).toBeUndefined();
    const repeated = assistant("", "two");
    const bitByBit = [...asked, results("one"), repeated, results("two")];
    expect(find(bitByBit)).toMatchObject({ phase: "staged", isExact: true, from: { messages: [] } });
    expect(find([...asked, results("one"), assistant("words", "two"), results("two")])).toBeUndefined();
    expect(find([...asked, results("one", "two"), assistant("", "three"), results("three")])).toBeUndefined();
    expect(find([...asked, user("never mind")])).toBeUndefined();
    const late = [...asked, results("one", "two"), assistant("", "three")];
    keep(late, "staged", ["two", "three"]);
    expect(find([...late, results("three")])).toMatchObject({ phase: "staged", isExact: true });
    expect(find([...late, results("two")])).toBeUndefined();
    expect(find([...asked, results("one", "two"), user("and then")])).toBeUndefined();
  });
});

describe("a checkpoint from before a reply", () => {
  /** Stores a checkpoint that holds this request. */
  function keepOpening(request: readonly Message[]): void {
    const key = openingKey(keysOf(request).at(-1) ?? "");
    const state = Buffer.from("opening");
    keepCheckpoint(store, key, { state });
  }
  const before = [user("a"), assistant("b")];
  const request = [...before, user("c")];

  it.each([
    { name: "half an answer and words", since: [assistant("hal"), user("stop")], isExact: false, isNewest: true },
    { name: "nothing of the answer", since: [user("stop")], isExact: true, isNewest: true },
    { name: "calls without results", since: [assistant("", "one"), user("no")], isExact: false, isNewest: true },
    { name: "results", since: [assistant("", "one"), results("one")], isExact: false, isNewest: true },
    {
      name: "calls that were sent again",
      since: [assistant("", "one", "two"), results("one"), assistant("", "two"), user("no")],
      isExact: false,
      isNewest: true,
    },
    {
      name: "an older reply",
      since: [assistant("hal"), user("stop"), assistant("d"), user("e")],
      isExact: false,
      isNewest: false,
    },
  ])("is found with the later messages: $name", ({ since, isExact, isNewest }) => {
    keep(before);
    keepOpening(request);
    const state = Buffer.from("opening");
    expect(find([...request, ...since])).toMatchObject({ isExact, isNewest, from: { state, messages: since } });
  });

  it("yields to one that waits for just these results, and to any that holds the reply", () => {
    const asked = [...request, assistant("", "one")];
    keepOpening(request);
    keep(asked, "staged", ["one"]);
    expect(find([...asked, results("one")])).toMatchObject({ phase: "staged", from: { messages: [] } });
    expect(find([...asked, user("never mind")])).toMatchObject({ from: { state: Buffer.from("opening") } });
    keep([...request, assistant("d")]);
    expect(find([...request, assistant("d"), user("e")])).toMatchObject({
      isExact: true,
      from: { messages: [user("e")] },
    });
  });

  it("is not found for the request itself", () => {
    keepOpening([user("a")]);
    expect(find([user("a")])).toBeUndefined();
  });
});

describe("the calls of a turn", () => {
  it("are those since the newest user message, each once, with the known results", () => {
    const messages = [
      user("a"),
      assistant("", "old"),
      results("old"),
      user("b"),
      assistant("", "one", "two"),
      results("one"),
      assistant("", "two"),
    ];
    const open = [{ id: "two", upstreamId: "up-two", name: "tool", input: '{"of":"it"}' }];
    expect(recordedCalls(userTurn("", { messages }), open)).toMatchObject([
      { id: "one", upstreamId: "one", input: "{}", result: { callId: "one" }, round: 0, isSettled: true },
      { id: "two", upstreamId: "up-two", input: "{}", result: undefined, round: 0, isSettled: false },
    ]);
    const known = messages.concat(results("two"));
    expect(recordedCalls(userTurn("", { messages: known }), open)[1]).toMatchObject({
      upstreamId: "up-two",
      result: { callId: "two" },
      isSettled: false,
    });
  });
});

describe("calls without results", () => {
  const asked = [user("a"), assistant("b", "one", "two")];

  it.each([
    { name: "those of the newest message without results", messages: [results("two")], ids: ["one"] },
    { name: "none when all results are there", messages: [results("two", "one")], ids: [] },
    { name: "none before the first result, while the client runs them all", messages: [], ids: [] },
    { name: "none after a new user message", messages: [results("two"), user("c")], ids: [] },
    { name: "those sent again", messages: [results("two"), assistant("", "one"), results("x")], ids: ["one"] },
    {
      name: "not those of older messages",
      messages: [results("two"), assistant("", "three"), results("three")],
      ids: [],
    },
  ])("are $name", ({ messages, ids }) => {
    expect(missingCalls([...asked, ...messages]).map(({ id }) => id)).toEqual(ids);
  });
});

describe("a turn of very many calls", () => {
  /** Counts reads of the messages, to tell linear from quadratic work. */
  function counted(messages: readonly Message[]) {
    let reads = 0;
    const get = (target: readonly Message[], property: string | symbol) => {
      if (typeof property === "string" && /^\d/.test(property)) reads++;
      return Reflect.get(target, property);
    };
    return { messages: new Proxy(messages, { get }), reads: () => reads };
  }

  it("is searched once if all its checkpoints wait for other calls", () => {
    const rounds = 1_000;
    const turn = Array.from({ length: rounds }, (_, n) => [assistant("", `call ${n}`), results(`call ${n}`)]).flat();
    const transcript = [user("a"), ...turn, user("b")];
    const keys = keysOf(transcript);
    const calls = [{ id: "of another stream", upstreamId: "up", name: "tool", input: "{}" }];
    for (let at = 2; at < transcript.length; at += 2) keepCheckpoint(store, keys[at] ?? "", { phase: "staged", calls });
    const { messages, reads } = counted(transcript);
    expect(findCheckpoint(reading("me"), lookups(keys), messages)).toEqual({ found: undefined, hasAny: true });
    expect(reads()).toBeLessThan(5 * transcript.length);
  });

  // Quadratic work would take minutes here and run into the test's time limit.
  it("is recorded", () => {
    const ids = Array.from({ length: 200_000 }, (_, index) => `call ${index}`);
    const messages = [user("a"), ...ids.map((id) => assistant("", id)), ...ids.map((id) => results(id))];
    const open = ids.map((id) => ({ id, upstreamId: `up ${id}`, name: "tool", input: "{}" }));
    expect(recordedCalls(userTurn("", { messages }), open)).toHaveLength(ids.length);
  });
});
