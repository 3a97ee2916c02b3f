import { expect, it } from "vitest";
import type { TextStore } from "../../../core/index.js";
import { finish } from "../../../system/clock.js";
import { StoredConversations } from "./stored-conversations.js";

class MapStore implements TextStore {
  readonly texts = new Map<string, string>();
  readonly besides = new Map<string, string | undefined>();
  written = 0;
  get = (id: string) => this.texts.get(id);
  put(id: string, text: string, beside?: string): void {
    this.texts.set(id, text);
    this.besides.set(id, beside);
    this.written += text.length;
  }
  delete = (id: string) => this.texts.delete(id);
}

function setUp() {
  const lasting = new MapStore();
  const conversations = new StoredConversations({ lasting });
  conversations.put({ id: "conv_a", object: "conversation", created_at: 0, metadata: {} });
  let appends = 0;
  const append = (...items: { id: string }[]) => conversations.append("conv_a", items, String(++appends));
  return { lasting, conversations, append, ids: () => conversations.items("conv_a").map(({ id }) => id) };
}

const MIB = 1024 * 1024;
const long = (id: string, length = 3 * MIB) => ({ id, text: "x".repeat(length) });

it("keeps short items in one part, and writes long ones once", () => {
  const { lasting, append, ids } = setUp();
  for (let count = 0; count < 100; count++) finish(append({ id: `a${count}` }));
  expect(lasting.texts.size).toBe(2);
  finish(append(long("b")));
  const { written } = lasting;
  finish(append({ id: "c" }));
  expect(lasting.written - written).toBeLessThan(2_000);
  expect(ids()).toEqual([...Array.from({ length: 100 }, (_, count) => `a${count}`), "b", "c"]);
});

it("keeps everything beside the conversation, and deletes everything with it", () => {
  const { lasting, conversations, append } = setUp();
  finish(append(long("a"), { id: "b" }));
  finish(append({ id: "c" }));
  conversations.deleteItem("conv_a", "a");
  expect(new Set(lasting.besides.values())).toEqual(new Set(["conv_a"]));
  expect([...lasting.texts.values()].join("")).not.toContain("xxx");
  finish(append(long("d")));
  conversations.delete("conv_a");
  expect(lasting.texts.size).toBe(0);
});

it("takes items after all others were deleted", () => {
  const { conversations, append, ids } = setUp();
  finish(append({ id: "a" }));
  conversations.deleteItem("conv_a", "a");
  expect(ids()).toEqual([]);
  finish(append({ id: "b" }));
  expect(ids()).toEqual(["b"]);
});

it("loses nothing that is added while long items are written", () => {
  const { append, ids } = setUp();
  const slow = append(long("a", 5 * MIB));
  expect(slow.next().done).toBe(false);
  finish(append({ id: "b" }));
  finish(slow);
  expect(ids()).toEqual(["b", "a"]);
});

it("keeps nothing of items that are written while it is deleted", () => {
  const { lasting, conversations, append } = setUp();
  const slow = append(long("a", 5 * MIB));
  slow.next();
  conversations.delete("conv_a");
  finish(slow);
  expect(lasting.texts.size).toBe(0);
});

it("is not found once the store has dropped a part of it", () => {
  const { lasting, append, ids } = setUp();
  finish(append({ id: "a" }));
  lasting.delete("conv_a 1");
  expect(ids).toThrowError(expect.objectContaining({ code: "conversation_not_found" }));
});

it.each([
  ["items", 29_999, 0],
  ["characters", 0, 64 * MIB],
])("is full with too many %s", (_, items, characters) => {
  const { conversations, append } = setUp();
  finish(append({ id: "a" }));
  conversations.requireRoom("conv_a", items, characters && characters - 100);
  const full = expect.objectContaining({ code: "invalid_request", param: "conversation" });
  expect(() => conversations.requireRoom("conv_a", items + 1, characters)).toThrowError(full);
});
