import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../testing/manual-clock.js";
import type { BackendName } from "../backends/backend.js";
import { userTurn } from "../backends/scripted/index.js";
import { createMemoryStore, type Store } from "../store/index.js";
import type { Message, Turn } from "../turn/turn.js";
import { digestMessages, settingsKey, transcriptKeys } from "./fingerprint.js";
import { locate } from "./locate.js";
import { ParkingLot } from "./parking.js";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const calling: Message = { role: "assistant", content: [{ type: "call", id: "one", name: "tool", input: "{}" }] };
const results: Message = { role: "tool", results: [{ callId: "one", content: [], isError: false }] };
const answer: Message = { role: "assistant", content: [{ type: "text", text: "b" }] };

let store: Store;
let lot: ParkingLot;
beforeEach(() => {
  store = createMemoryStore({ now: () => 0 });
  lot = new ParkingLot(new ManualClock(), { leaseMs: 1_000, maxParkedRuns: 10 });
});
afterEach(() => lot.close());

const turnOf = (messages: Message[], rest: Partial<Turn> = {}) => userTurn("", { messages, ...rest });
const continuity = (turn: Turn, backend: BackendName = "agent") =>
  locate(turn, { owner: "me", backend }, store, lot).continuity;

/** As a reply leaves it behind that ended with the last of these messages. */
function keep(turn: Turn, phase: "staged" | "settled"): void {
  const digests = digestMessages(turn.messages);
  const key = transcriptKeys(`agent ${settingsKey(turn)}`, digests).at(-1) ?? "";
  store.putCheckpoint("me", key, { state: Buffer.of(1), conversationId: "c", phase, calls: [], memo: "" });
  store.putNote("me", transcriptKeys("", digests).at(-1) ?? "", "seen");
}

describe("why a request is cold", () => {
  it("is that nothing of it was ever seen", () => {
    expect(continuity(turnOf([user("a")]))).toBe("cold:new");
  });

  it("is another prompt, only if it is another", () => {
    const history = [user("a"), answer];
    keep(turnOf(history), "settled");
    expect(continuity(turnOf([...history, user("c")]))).toBe("warm");
    expect(continuity(turnOf([...history, user("c")], { system: "other" }))).toBe("cold:settings-changed");
  });

  it("is another backend: none can read what another has left", () => {
    const history = [user("a"), answer];
    keep(turnOf(history), "settled");
    expect(continuity(turnOf([...history, user("c")]), "cli")).toBe("cold:settings-changed");
    expect(locate(turnOf([...history, user("c")]), { owner: "me", backend: "cli" }, store, lot).from).toBeUndefined();
  });

  it("is another prompt, too, where results come for calls that were made under the first", async () => {
    const history = [user("a"), calling];
    const answered = [...history, results];
    keep(turnOf(history), "staged");
    expect(continuity(turnOf(answered, { system: "other" }))).toBe("cold:settings-changed");
    const tools = [{ name: "tool", description: "", inputSchema: {} }];
    expect(continuity(turnOf(answered, { tools }))).toBe("cold:settings-changed");
    expect(continuity(turnOf([user("other words"), calling, results]))).toBe("cold:unknown-call");
    expect(continuity(turnOf(answered, { system: "other" }), "cli")).toBe("cold:settings-changed");
  });

  it("is sought in a bounded number of looks, however long the transcript is", () => {
    const messages = Array.from({ length: 10_000 }, () => [user("a"), answer]).flat();
    let looks = 0;
    const counting = new Proxy(store, {
      get(target, name) {
        if (name === "getNote" || name === "getCheckpoint") looks++;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const turn = turnOf([...messages, user("b")]);
    expect(locate(turn, { owner: "me", backend: "agent" }, counting, lot).continuity).toBe("cold:new");
    expect(looks).toBeLessThan(messages.length / 2 + 2_500); // one for each answer, and a few for the reason
  });

  it("is not another prompt where all that is known waits for results that never came", () => {
    const history = [user("a"), calling];
    keep(turnOf(history), "staged");
    expect(continuity(turnOf([...history, user("never mind")]))).toBe("cold:edited");
  });
});
