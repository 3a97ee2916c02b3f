import { expect, it } from "vitest";
import { eventsOf } from "./sse.js";

it("finds the same events however the stream is cut", async () => {
  const stream = 'event: now\ndata: {"a":1}\n\n: alive\n\ndata: two\r\ndata: lines\r\n\r\ndata:last\n\n';
  const events = [
    { name: "now", data: '{"a":1}' },
    { name: "", data: "two\nlines" },
    { name: "", data: "last" },
  ];
  for (let size = 1; size <= stream.length; size++) {
    const chunks = stream.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    const body = ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
    const found = [];
    for await (const event of eventsOf(new Response(body))) found.push(event);
    expect(found).toEqual(events);
  }
});
