import { describe, expect, it } from "vitest";
import type { GatewayError } from "../../../turn/error.js";
import { AppendQueue } from "./append-queue.js";

/** A queue whose appends are answered by the test. */
function startQueue() {
  const sent: { seqno: number; bytes: number; done: () => void; fail: (error: Error) => void }[] = [];
  const failures: GatewayError[] = [];
  let timesRoom = 0;
  const queue = new AppendQueue({
    send: (seqno, payload) =>
      new Promise((done, fail) => void sent.push({ seqno, bytes: payload.length, done: () => done(), fail })),
    onFailed: (error) => failures.push(error),
    onRoom: () => {
      timesRoom += 1;
    },
  });
  return { queue, sent, failures, timesRoom: () => timesRoom };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const MIB = 1024 * 1024;

describe("appends", () => {
  it("go out alone first, then at most sixteen at once, numbered in order", async () => {
    const { queue, sent } = startQueue();
    for (let index = 0; index < 40; index++) queue.push(Buffer.from([index]));
    expect(sent.map(({ seqno }) => seqno)).toEqual([0]);
    sent[0]?.done();
    await settled();
    expect(sent.map(({ seqno }) => seqno)).toEqual(Array.from({ length: 17 }, (_, seqno) => seqno));
    sent[9]?.done(); // any append that ends makes room
    await settled();
    expect(sent.at(-1)?.seqno).toBe(17);
  });

  it("are full at eight MiB, and say when they no longer are", async () => {
    const { queue, sent, timesRoom } = startQueue();
    queue.push(Buffer.alloc(5 * MIB));
    expect(queue.isFull).toBe(false);
    queue.push(Buffer.alloc(4 * MIB));
    expect(queue.isFull).toBe(true);
    sent[0]?.done();
    await settled();
    expect([queue.isFull, timesRoom()]).toEqual([false, 1]);
  });

  it("end the run when one can never arrive, and send nothing more", async () => {
    const { queue, sent, failures } = startQueue();
    queue.push(Buffer.of(1));
    queue.push(Buffer.of(2));
    sent[0]?.fail(new Error("lost"));
    await settled();
    queue.push(Buffer.of(3));
    expect(failures).toMatchObject([{ code: "server_error" }]);
    expect(sent).toHaveLength(1);
  });

  it("take one message of any size, but no more than 128 MiB together", () => {
    const { queue, failures } = startQueue();
    queue.push(Buffer.alloc(100 * MIB));
    queue.push(Buffer.alloc(28 * MIB));
    expect(failures).toEqual([]);
    queue.push(Buffer.of(1));
    expect(failures).toMatchObject([{ code: "upstream_error" }]);
  });

  it("that wait are dropped when the run is over", async () => {
    const { queue, sent, failures } = startQueue();
    queue.push(Buffer.of(1));
    queue.push(Buffer.of(2));
    queue.close();
    sent[0]?.done();
    await settled();
    expect([sent.length, failures.length]).toEqual([1, 0]);
  });
});
