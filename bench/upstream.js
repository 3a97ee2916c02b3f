// Both upstreams of the comparison on one cleartext HTTP/2 port, in a process of its own: Cursor's agent stream for the
// gateway, and the very SSE bytes that the gateway should write, ready-made, for the ceiling. Same words, same pace.
// The request says what it wants in its text: `deltas=N chunk=K pause=MS`.
import { createServer } from "node:http2";
import { frame, message, ping, string, varint } from "./wire.js";

const words = [" the", " quick", " brown", " fox", " jumps", " over", " the", " lazy", " dog", "."];
const word = (index) => words[index % words.length];

const textFrame = (index) => frame(0, message(1, message(1, string(1, word(index)))));
const closing = (deltas) =>
  Buffer.concat([
    frame(0, message(1, message(14, Buffer.concat([varint(1, deltas), varint(2, deltas)])))),
    frame(2, Buffer.from("{}")),
  ]);

const sseHead =
  '{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1800000000,"model":"auto","choices":[';
const sse = (choice) => `data: ${sseHead}${choice}]}\n\n`;
const sseText = (index) => sse(`{"index":0,"delta":{"content":${JSON.stringify(word(index))}},"finish_reason":null}`);
const sseClosing = Buffer.from(`${sse('{"index":0,"delta":{},"finish_reason":"stop"}')}data: [DONE]\n\n`);

const server = createServer({ settings: { maxConcurrentStreams: 1_000 } });
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  const isAgent = headers[":path"] === "/agent.v1.AgentService/Run";
  if (!isAgent && headers[":path"] !== "/ready-made") {
    stream.respond({ ":status": 404 }, { endStream: true });
    return;
  }
  stream.once("data", (first) => {
    const { deltas, chunk, pause } = wanted(first.toString("latin1"));
    stream.respond({ ":status": 200, "content-type": isAgent ? "application/connect+proto" : "text/event-stream" });
    if (isAgent) stream.write(frame(0, message(1, message(13, Buffer.alloc(0)))));
    else stream.write(sse('{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}'));
    const piece = isAgent ? textFrame : (index) => Buffer.from(sseText(index));
    play(stream, chunks(deltas, chunk, piece), pause, isAgent ? closing(deltas) : sseClosing);
  });
});

function wanted(text) {
  const number = (name, fallback) => Number(new RegExp(`${name}=(\\d+)`).exec(text)?.[1] ?? fallback);
  return { deltas: number("deltas", 10), chunk: number("chunk", 1), pause: number("pause", 0) };
}

const cache = new Map();
function chunks(deltas, size, piece) {
  const key = `${piece === textFrame} ${deltas} ${size}`;
  const made = cache.get(key);
  if (made !== undefined) return made;
  const list = [];
  for (let from = 0; from < deltas; from += size) {
    list.push(
      Buffer.concat(Array.from({ length: Math.min(size, deltas - from) }, (_, offset) => piece(from + offset))),
    );
  }
  cache.set(key, list);
  return list;
}

function play(stream, list, pause, last) {
  let at = 0;
  const step = () => {
    while (at < list.length) {
      if (stream.destroyed) return;
      const goesOn = stream.write(list[at++]);
      if (pause > 0) return void setTimeout(step, pause);
      if (!goesOn) return void stream.once("drain", step);
    }
    if (!stream.destroyed) stream.end(last);
  };
  step();
}

// Signing in is HTTP/1.1; the gateway of the comparison is given a ready token, so nothing else is needed.
server.listen(0, "127.0.0.1", () => ping(server.address().port));
