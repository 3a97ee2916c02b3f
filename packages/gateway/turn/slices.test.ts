import { describe, expect, it } from "vitest";
import { user as userSays } from "../../../testing/samples/sample-turns.js";
import { isLong, Slices } from "./slices.js";
import type { Message } from "./turn.js";

const user = (characters: number) => userSays("x".repeat(characters));
const many = (count: number, characters: number) => Array.from({ length: count }, () => user(characters));

/** The sizes of the slices, in messages. */
function cut(messages: readonly Message[]): number[] {
  const slices = new Slices();
  const sizes: number[] = [];
  for (const message of messages) {
    const isFull = slices.isFullBefore(message);
    if (isFull || sizes.length === 0) sizes.push(1);
    else sizes.push((sizes.pop() ?? 0) + 1);
  }
  return sizes;
}

describe("the work on a conversation", () => {
  it("is cut by messages and by their size", () => {
    expect(cut(many(450, 10))).toEqual([200, 200, 50]);
    expect(cut(many(5, 128 * 1024))).toEqual([2, 2, 1]);
    expect(cut([user(10), user(4_000_000), user(10), user(10)])).toEqual([1, 1, 2]);
  });

  it("counts results, arguments and images", () => {
    const text = "x".repeat(140_000);
    const result = { callId: "c", content: [{ type: "text" as const, text }], isError: false };
    expect(isLong([{ role: "tool", results: [result, result] }, user(1)])).toBe(true);
    const call = { type: "call" as const, id: "c", name: "n", input: text + text };
    expect(isLong([{ role: "assistant", content: [call] }, user(1)])).toBe(true);
    const image = { type: "image" as const, mimeType: "image/png", data: Buffer.alloc(300_000) };
    expect(isLong([{ role: "user", content: [image] }, user(1)])).toBe(true);
  });
});
