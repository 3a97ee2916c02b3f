import { expect, it } from "vitest";
import { SseReader } from "./sse.js";

it("finds the same events however the stream is cut", () => {
  const stream = 'event: now\ndata: {"a":1}\n\n: alive\n\ndata: two\r\ndata: lines\r\n\r\ndata:last\n\n';
  const events = [
    { name: "now", data: '{"a":1}' },
    { name: "", data: "two\nlines" },
    { name: "", data: "last" },
  ];
  for (let size = 1; size <= stream.length; size++) {
    const reader = new SseReader();
    const found = [];
    for (let at = 0; at < stream.length; at += size) found.push(...reader.push(stream.slice(at, at + size)));
    expect(found).toEqual(events);
  }
});
