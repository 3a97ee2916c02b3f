import { describe, expect, it } from "vitest";
import { text } from "../../../testing/samples/sample-turns.js";
import { GatewayError } from "./error.js";
import { EventQueue } from "./event-queue.js";

const lost = new GatewayError("upstream_error", "Lost.");

describe("an event queue", () => {
  it("hands a committed batch to the consumer that waits", async () => {
    const queue = new EventQueue();
    const waiting = queue.next();
    queue.batch.push(text("a"));
    expect(queue.commit()).toBe(true);
    expect(await waiting).toEqual({ value: [text("a")], done: false });
  });

  it("does not wake a consumer for an empty batch", async () => {
    const queue = new EventQueue();
    const waiting = queue.next();
    expect(queue.commit()).toBe(true);
    queue.batch.push(text("a"));
    queue.commit();
    expect((await waiting).value).toEqual([text("a")]);
  });

  it("never changes a batch that it has handed over", async () => {
    const queue = new EventQueue();
    queue.batch.push(text("a"));
    const { value } = await queue.next();
    queue.batch.push(text("b"));
    expect(value).toEqual([text("a")]);
  });

  it("delivers the held batch before its error, and the error once", async () => {
    const queue = new EventQueue();
    queue.batch.push(text("tail"));
    queue.end(lost);
    expect((await queue.next()).value).toEqual([text("tail")]);
    await expect(queue.next()).rejects.toBe(lost);
    expect((await queue.next()).done).toBe(true);
  });

  it("gives a waiting consumer the uncommitted rest, then the error", async () => {
    const queue = new EventQueue();
    const waiting = queue.next();
    queue.batch.push(text("tail"));
    queue.end(lost);
    expect((await waiting).value).toEqual([text("tail")]);
    await expect(queue.next()).rejects.toBe(lost);
  });

  it("wakes a waiting consumer at its end and at its error", async () => {
    const fine = new EventQueue();
    const end = fine.next();
    fine.end();
    expect((await end).done).toBe(true);
    const broken = new EventQueue();
    const error = broken.next();
    broken.end(lost);
    await expect(error).rejects.toBe(lost);
    expect((await broken.next()).done).toBe(true);
  });

  it("keeps its first end", async () => {
    const queue = new EventQueue();
    queue.end();
    queue.end(lost);
    expect((await queue.next()).done).toBe(true);
  });

  it("notifies the producer when the slot is emptied and when the consumer waits", async () => {
    let taken = 0;
    const queue = new EventQueue(() => taken++);
    queue.batch.push(text("a"));
    queue.commit();
    expect(taken).toBe(0);
    await queue.next();
    expect(taken).toBe(1);
    const waiting = queue.next();
    expect(taken).toBe(2);
    queue.end();
    await waiting;
  });

  it("delivers all events of a fast producer to a slow consumer in order", async () => {
    const queue = new EventQueue();
    const producer = (async () => {
      for (let index = 0; index < 5_000; index++) {
        queue.batch.push(text(`${index} `));
        queue.commit();
        if (index % 7 === 0) await Promise.resolve();
      }
      queue.end();
    })();
    let all = "";
    for await (const batch of queue) {
      for (const event of batch) if (event.type === "text") all += event.delta;
      await new Promise(setImmediate);
    }
    await producer;
    expect(all).toBe(Array.from({ length: 5_000 }, (_, index) => `${index} `).join(""));
  });
});
