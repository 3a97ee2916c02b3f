// Both upstreams of the comparison, in a process of their own: Cursor's agent stream for gateways, and the exact bytes that
// the gateway should write, prepared, for the proxy that copies them. Both have the same text and the same pace. The prepared
// replies are also served over HTTP/1.1, for gateways whose upstream speaks OpenAI's or Anthropic's dialect.
import { createServer as createHttp1 } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import { dialectOf } from "../dialects.js";
import { runAgent } from "./agent-run.js";
import { chunkCache, play, readSpec, spokenText, word } from "./spec.js";
import { answerUnary } from "./unary.js";

const READY_MADE_ID = "0".repeat(32);
const READY_MADE_AT_S = 1_800_000_000;

const chunksOf = chunkCache();
let receivedBytes = 0;
let playedDeltas = 0;
let runs = 0;
const onDeltas = (count) => {
  playedDeltas += count;
};

const http2 = createHttp2({ settings: { maxConcurrentStreams: 10_000 } });
http2.on("stream", (stream, headers) => {
  const path = headers[":path"];
  stream.on("error", () => {});
  stream.on("data", (part) => {
    receivedBytes += part.length;
  });
  if (path === "/agent.v1.AgentService/Run") {
    runs++;
    return runAgent(stream, { like, chunksOf, onDeltas });
  }
  const parts = [];
  stream.on("data", (part) => parts.push(part));
  stream.once("end", () => {
    const dialect = dialectOf(path);
    if (dialect !== undefined) {
      return replyReadyMade(stream, dialect, Buffer.concat(parts), (contentType) =>
        stream.respond({ ":status": 200, "content-type": contentType }),
      );
    }
    const { status, contentType, body } = answerUnary(path, headers["content-type"]);
    stream.respond({ ":status": status, "content-type": contentType });
    stream.end(body);
  });
});

const http1 = createHttp1((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.once("end", () => {
    const dialect = dialectOf(request.url);
    if (dialect !== undefined) {
      return replyReadyMade(response, dialect, Buffer.concat(parts), (contentType) =>
        response.writeHead(200, { "content-type": contentType }),
      );
    }
    const { status, contentType, body } = answerUnary(request.url, request.headers["content-type"]);
    response.writeHead(status, { "content-type": contentType }).end(body);
  });
});

function replyReadyMade(stream, dialect, body, respond) {
  const spec = readSpec(body);
  const reply = dialect.reply(READY_MADE_ID, READY_MADE_AT_S);
  const text = spokenText(spec.deltas);
  if (!body.includes('"stream":true')) {
    respond("application/json");
    return stream.end(reply.whole(text, spec.deltas));
  }
  respond("text/event-stream");
  stream.write(reply.begin());
  const chunks = chunksOf(dialect.name, spec, (index) => reply.delta(word(index), index));
  play(stream, chunks, {
    pauseMs: spec.pause,
    onChunk: () => onDeltas(spec.chunk),
    last: () => stream.end(reply.end(text, spec.deltas)),
  });
}

process.on("message", () => process.send({ receivedBytes, playedDeltas, runs }));
const [http2Port = "0", http1Port = "0", like = "live"] = process.argv.slice(2);
http1.listen(Number(http1Port), "127.0.0.1", () =>
  http2.listen(Number(http2Port), "127.0.0.1", () =>
    process.send({ port: http2.address().port, http1Port: http1.address().port }),
  ),
);
