import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Connection, Live } from "./live.js";

/** Answers the page, and records its requests. */
class Gateway {
  readonly asked: string[] = [];
  /** Status of the answers to `live`. */
  liveStatus = 200;
  #streams: ReadableStreamDefaultController<Uint8Array>[] = [];

  readonly fetch = async (path: string, { signal }: RequestInit): Promise<Response> => {
    const name = path.replace("/admin/api/", "");
    this.asked.push(name);
    if (name === "now") return Response.json({ nowMs: Date.now(), gateway: {}, today: { requests: 0 } });
    if (this.liveStatus !== 200) {
      return Response.json({ error: { message: "No more pages.", code: null } }, { status: this.liveStatus });
    }
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        this.#streams.push(stream);
        signal?.addEventListener("abort", () => stream.error(signal.reason));
      },
    });
    return new Response(body);
  };

  send(text: string): void {
    this.#streams.at(-1)?.enqueue(new TextEncoder().encode(text));
  }
}

let gateway: Gateway;
let live: Live;
let seen: { connection: Connection; asked: number }[];
beforeEach(() => {
  vi.useFakeTimers();
  gateway = new Gateway();
  vi.stubGlobal("fetch", gateway.fetch);
  live = new Live();
  seen = [];
  live.subscribe(() => seen.push({ connection: live.view.connection, asked: gateway.asked.length }));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a page that connects", () => {
  it("is live only when its stream is open, so that it misses nothing after that", async () => {
    live.reconnect();
    await vi.advanceTimersByTimeAsync(0);
    expect(gateway.asked).toEqual(["now", "live"]);
    expect(seen).toEqual([{ connection: "live", asked: 2 }]);
  });

  it("applies changes, and reports ended requests", async () => {
    const ended: number[] = [];
    live.onEnded(({ skipped }) => ended.push(skipped));
    live.reconnect();
    await vi.advanceTimersByTimeAsync(0);
    gateway.send(`event: now\ndata: {"nowMs":${Date.now() + 5_000},"today":{"requests":1}}\n\n`);
    gateway.send('event: ended\ndata: {"entries":[],"skipped":3}\n\n');
    await vi.advanceTimersByTimeAsync(0);
    expect(live.view).toMatchObject({ now: { gateway: {}, today: { requests: 1 } }, skewMs: 5_000 });
    expect(ended).toEqual([3]);
  });

  it("backs off while its stream is refused, and is not live in between", async () => {
    gateway.liveStatus = 429;
    live.reconnect();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(new Set(seen.map(({ connection }) => connection))).toEqual(new Set(["offline"]));
    expect(live.view.problem).toBe("No more pages.");
    // After half a second, one, two, four and eight seconds, then every fifteen.
    expect(gateway.asked.filter((name) => name === "live")).toHaveLength(8);
  });

  it("reconnects when the stream has been silent", async () => {
    live.reconnect();
    await vi.advanceTimersByTimeAsync(50_000);
    gateway.send(": nothing new\n\n");
    await vi.advanceTimersByTimeAsync(50_000);
    expect(gateway.asked).toEqual(["now", "live"]);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(seen.map(({ connection }) => connection)).toEqual(["live", "offline", "live"]);
    expect(gateway.asked).toEqual(["now", "live", "now", "live"]);
  });
});
