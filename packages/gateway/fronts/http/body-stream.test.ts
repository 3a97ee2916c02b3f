import { describe, expect, it } from "vitest";
import type { ScriptStep } from "../../../../testing/backends/scripted/index.js";
import { parseSse } from "../../../../testing/clients/parse-sse.js";
import { jsonPost, readChunked } from "../../../../testing/clients/raw-client.js";
import { askedServer, finish, gate, text } from "../../../../testing/gateway/asked-server.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import type { Clock } from "../../system/clock.js";
import { KeepAlive } from "./body-stream.js";

const path = "/v1/chat/completions";
const question = { model: "auto", stream: true, messages: [{ role: "user", content: "hi" }] };
const deltas = ["plain", "Grüße", "🦆 duck", "x".repeat(70_000), "é".repeat(9), "end"];
const steps = [...deltas.map(text), [...text("!"), ...finish]];

const setUp = (script: Iterable<ScriptStep> = steps) => askedServer({ steps: script });
const connect = async () => (await setUp()).connect();

function textOf(latin1: string): string {
  const events = parseSse(Buffer.from(latin1, "latin1").toString("utf8"));
  const chunks = events.slice(0, -1).map(({ data }) => JSON.parse(data));
  return chunks.map(({ choices }) => choices[0].delta.content ?? "").join("");
}

describe("the bytes of a stream", () => {
  it("are chunks that a strict reader takes, one for each batch", async () => {
    const client = await connect();
    client.send(jsonPost(path, question));
    const { head, chunks, rest } = readChunked(await client.until("\r\n0\r\n\r\n"));
    expect(head).toContain("HTTP/1.1 200 OK\r\n");
    expect(head).not.toMatch(/content-length/i);
    expect(chunks).toHaveLength(steps.length);
    expect(textOf(chunks.join(""))).toBe(`${deltas.join("")}!`);
    expect(rest).toBe("");
  });

  it("are one write for each batch, including the end of the answer", async () => {
    const { open, waitFor } = gate();
    const server = await setUp([{ waitFor }, ...steps]);
    const client = await server.send(path, question);
    await expect.poll(() => server.backend.exchanges.length).toBe(1);
    const [response] = server.responses;
    if (response === undefined) throw new Error("no response");
    const written: string[] = [];
    const { write, end } = response;
    response.write = ((...args: Parameters<typeof write>) => {
      written.push("write");
      return write.apply(response, args);
    }) as typeof write;
    response.end = ((...args: Parameters<typeof end>) => {
      written.push("end");
      return end.apply(response, args);
    }) as typeof end;
    open();
    await client.until("\r\n0\r\n\r\n");
    expect(written).toEqual([...deltas.map(() => "write"), "end"]);
  });

  it.each([
    ["names a host", "host: 127.0.0.1\r\n"],
    ["names no host", ""],
  ])("are not chunked for an HTTP/1.0 client that %s: the close of the connection ends them", async (_, host) => {
    const client = await connect();
    client.send(jsonPost(path, question, { version: "1.0" }).replace("host: 127.0.0.1\r\n", host));
    await client.closed;
    const [head = "", body = ""] = client.received.split(/\r\n\r\n(.*)/s);
    expect(head).toContain("200 OK");
    expect(head).not.toMatch(/transfer-encoding/i);
    expect(textOf(body)).toBe(`${deltas.join("")}!`);
  });

  it("answer pipelined requests one after the other, each whole", async () => {
    const client = await connect();
    const health = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    client.send(
      jsonPost(path, question) + jsonPost(path, { ...question, stream: false }) + jsonPost(path, question) + health,
    );
    await client.until('"version":"1.2.3"');
    const first = readChunked(client.received);
    const whole = /^HTTP\/1\.1 200 OK\r\n.*?content-length: (\d+)\r\n.*?\r\n\r\n/is.exec(first.rest);
    const wholeEnd = (whole?.[0].length ?? 0) + Number(whole?.[1]);
    const third = readChunked(first.rest.slice(wholeEnd));
    expect(textOf(first.chunks.join(""))).toBe(`${deltas.join("")}!`);
    expect(first.rest.slice(0, wholeEnd)).toContain('"chat.completion"');
    expect(textOf(third.chunks.join(""))).toBe(`${deltas.join("")}!`);
    expect(third.rest).toContain("HTTP/1.1 200 OK");
  });
});

function newStream(clock: Clock) {
  return {
    lastMs: clock.now(),
    beats: 0,
    beat() {
      this.beats++;
      this.lastMs = clock.now();
    },
  };
}

class CountingClock extends ManualClock {
  running = 0;

  override every(intervalMs: number, callback: () => void): () => void {
    this.running++;
    const stop = super.every(intervalMs, callback);
    return () => {
      this.running--;
      stop();
    };
  }
}

describe("keeping streams alive", () => {
  const setUp = () => {
    const clock = new CountingClock();
    return { clock, keepAlive: new KeepAlive({ silenceMs: 15_000, clock }) };
  };

  it("beats each silent stream, repeatedly, and no other", () => {
    const { clock, keepAlive } = setUp();
    const silent = newStream(clock);
    const talking = newStream(clock);
    keepAlive.add(silent);
    keepAlive.add(talking);
    for (let second = 0; second < 14; second++) clock.advance(1_000);
    expect([silent.beats, talking.beats]).toEqual([0, 0]);
    talking.lastMs = clock.now();
    clock.advance(2_000);
    expect([silent.beats, talking.beats]).toEqual([1, 0]);
    clock.advance(15_000);
    expect([silent.beats, talking.beats]).toEqual([2, 1]);
  });

  it("has one timer for all streams, and none without streams", () => {
    const { clock, keepAlive } = setUp();
    expect(clock.running).toBe(0);
    const remove = [1, 2, 3].map(() => keepAlive.add(newStream(clock)));
    expect(clock.running).toBe(1);
    for (const each of remove) each();
    expect(clock.running).toBe(0);
    const late = newStream(clock);
    keepAlive.add(late);
    clock.advance(16_000);
    expect([clock.running, late.beats]).toEqual([1, 1]);
  });

  it("forgets only the removed stream", () => {
    const { clock, keepAlive } = setUp();
    const gone = newStream(clock);
    const remove = keepAlive.add(gone);
    const stays = newStream(clock);
    keepAlive.add(stays);
    remove();
    clock.advance(60_000);
    expect([gone.beats, stays.beats]).toEqual([0, 4]);
  });
});
