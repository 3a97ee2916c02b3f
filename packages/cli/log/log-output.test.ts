import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { LogOutput } from "./log-output.js";

/** A disk that can be full. Like the process's own streams, it stays writable after an error. */
class Disk {
  isFull = false;
  readonly lines: string[] = [];

  write(line: string, onWritten?: (error?: Error | null) => void): void {
    if (!this.isFull) this.lines.push(line);
    const error = this.isFull ? new Error("ENOSPC") : null;
    process.nextTick(() => onWritten?.(error));
  }
}

const settled = () => new Promise(setImmediate);

it("drops and counts lines that cannot be written, and reports the count when writing works again", async () => {
  const disk = new Disk();
  const output = new LogOutput(disk, () => 0);
  output.write("one\n");
  disk.isFull = true;
  for (const line of ["two\n", "three\n"]) {
    output.write(line);
    await settled();
  }
  expect(output.lostLines).toBe(2);
  disk.isFull = false;
  output.write("four\n");
  await settled();
  const report = '{"level":"warn","time":"1970-01-01T00:00:00.000Z","lines":2,"msg":"lines of this log were lost"}\n';
  expect(disk.lines).toEqual(["one\n", "four\n", report]);
  output.write("five\n");
  await settled();
  expect(disk.lines).toHaveLength(4);
});

it("survives a stream that throws", () => {
  const output = new LogOutput({
    write() {
      throw new Error("gone");
    },
  });
  output.write("one\n");
  expect(output.lostLines).toBe(1);
});

it("bounds the lines buffered for a stalled reader", () => {
  const stuck = new Writable({ write() {} });
  const output = new LogOutput(stuck);
  for (let count = 0; count < 3_000; count++) output.write("x".repeat(1_024));
  expect(stuck.writableLength).toBeLessThan(2 * 1024 * 1024);
  expect(output.lostLines).toBeGreaterThan(1_000);
});

it("adds one error listener, however many logs there are", () => {
  const stream = new Writable({ write() {} });
  for (let count = 0; count < 20; count++) new LogOutput(stream);
  expect(stream.listenerCount("error")).toBe(1);
});
