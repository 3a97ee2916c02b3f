import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
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
  it("are delivered by number, whatever the order in which they come, and once", () => {
    const appends = new Appends(new ManualClock());
    appends.append("r", 2, bytes("c"));
    appends.append("r", 0, bytes("a"));
    appends.append("r", 0, bytes("again"));
    const { read } = collect(appends);
    expect(read).toEqual(["a"]);
    appends.append("r", 3, bytes("d"));
    appends.append("r", 1, bytes("b"));
    appends.append("r", 1, bytes("again"));
    appends.append("r", 3, bytes("again"));
    expect(read).toEqual(["a", "b", "c", "d"]);
  });

  it("do not mix requests", () => {
    const appends = new Appends(new ManualClock());
    const one = collect(appends, "one");
    const two = collect(appends, "two");
    appends.append("two", 0, bytes("2"));
    appends.append("one", 0, bytes("1"));
    expect([one.read, two.read]).toEqual([["1"], ["2"]]);
  });

  it("are dropped after a minute in which no stream asked for them", () => {
    const clock = new ManualClock();
    const appends = new Appends(clock);
    appends.append("r", 0, bytes("old"));
    clock.advance(59_999);
    appends.append("s", 0, bytes("young"));
    clock.advance(1);
    expect(collect(appends).read).toEqual([]);
    expect(collect(appends, "s").read).toEqual(["young"]);
  });

  it("are kept for as long as their stream lasts", () => {
    const clock = new ManualClock();
    const appends = new Appends(clock);
    const { read } = collect(appends);
    appends.append("r", 1, bytes("b"));
    clock.advance(600_000);
    appends.append("r", 0, bytes("a"));
    expect(read).toEqual(["a", "b"]);
  });

  it("that come after the end of their stream lead to nothing", () => {
    const appends = new Appends(new ManualClock());
    const { read, close } = collect(appends);
    close();
    appends.append("r", 0, bytes("late"));
    expect(read).toEqual([]);
    expect(() => collect(appends)).toThrow(/in use/);
  });

  it("are refused when too many of them wait", () => {
    const appends = new Appends(new ManualClock());
    for (let n = 1; n <= 1_000; n += 1) appends.append("r", n, bytes("x"));
    expect(() => appends.append("r", 1_001, bytes("x"))).toThrow(/too many/i);
    for (let n = 1; n < 2_000; n += 1) appends.append(`r${n}`, 0, bytes("x"));
    expect(() => appends.append("another", 0, bytes("x"))).toThrow(/too many/i);
  });
});
