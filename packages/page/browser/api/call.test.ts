import { expect, it } from "vitest";
import { eventsOf } from "./call.js";

it("finds the same events however the stream is chunked", async () => {
  const stream = 'event: now\ndata: {"a":1}\n\n: alive\n\ndata: two\r\ndata: lines\r\n\r\ndata:last\n\n';
  const events = [
    { name: "now", data: '{"a":1}' },
    { name: "", data: "two\nlines" },
    { name: "", data: "last" },
  ];
  const bytes = new TextEncoder().encode(stream);
  for (let size = 1; size <= bytes.length; size++) {
    const body = new ReadableStream<Uint8Array>({
      start(chunks) {
        for (let at = 0; at < bytes.length; at += size) chunks.enqueue(bytes.slice(at, at + size));
        chunks.close();
      },
    });
    const found = [];
    for await (const event of eventsOf(new Response(body))) found.push(event);
    expect(found).toEqual(events);
  }
});
