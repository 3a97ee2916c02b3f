import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { Appends } from "./appends.js";

function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}

function collect(appends: Appends, id = "r") {
  const read: string[] = [];
  const close = appends.open(id, (payload) => read.push(Buffer.from(payload).toString()));
  return { read, close };
}

describe("appends", () => {
  it("expire after a minute without a stream", () => {
    const clock = new ManualClock();
    const appends = new Appends(clock);
    appends.append("r", 0, bytes("old"));
    clock.advance(59_999);
    appends.append("s", 0, bytes("young"));
    clock.advance(1);
    expect(collect(appends).read).toEqual([]);
    expect(collect(appends, "s").read).toEqual(["young"]);
  });

  it("are ignored after the end of their stream", () => {
    const appends = new Appends(new ManualClock());
    const { read, close } = collect(appends);
    close();
    appends.append("r", 0, bytes("late"));
    expect(read).toEqual([]);
    expect(() => collect(appends)).toThrow(/in use/);
  });

  it("are refused when too many are waiting", () => {
    const appends = new Appends(new ManualClock());
    for (let n = 1; n <= 1_000; n += 1) appends.append("r", n, bytes("x"));
    expect(() => appends.append("r", 1_001, bytes("x"))).toThrow(/too many/i);
    for (let n = 1; n < 2_000; n += 1) appends.append(`r${n}`, 0, bytes("x"));
    expect(() => appends.append("another", 0, bytes("x"))).toThrow(/too many/i);
  });
});
