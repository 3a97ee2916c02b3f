// The least that a gateway to Cursor must do, on bare node:http and node:http2: check the request, hash the conversation,
// write the run, answer the context question, read the deltas, write the frames of the dialect. It has no router, schema
// library, promise, abort signal, store, limit or log, so it is not a product, but a lower bound for one.
import { hash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { connect } from "node:http2";
import { dialectOf } from "../dialects.js";
import { envelope, message, string, varint } from "../upstream/wire.js";

const session = connect(process.argv[2], { settings: { initialWindowSize: 256 * 1024, enablePush: false } });
session.once("connect", () => session.setLocalWindowSize(512 * 1024 * 1024));

const INTERACTION_UPDATE = 0x0a;
const EXEC_MESSAGE = 0x12;
const TEXT_DELTA = 0x0a;
const TURN_ENDED = 0x72;

const NO_TRACE = `00-${"0".repeat(32)}-${"0".repeat(16)}-00`;
const fixedHeaders = {
  ":method": "POST",
  ":path": "/agent.v1.AgentService/Run",
  authorization: "Bearer bench-token",
  "content-type": "application/connect+proto",
  "connect-protocol-version": "1",
  "connect-accept-encoding": "identity",
  "user-agent": "connect-es/1.7.0",
  "x-cursor-client-type": "cli",
  "x-cursor-client-version": "cli-2026.01.01-abc",
  "x-ghost-mode": "true",
  traceparent: NO_TRACE,
  "backend-traceparent": NO_TRACE,
};
const model = Buffer.concat([string(1, "default"), string(3, "default"), string(4, "default"), string(5, "default")]);
const contextAnswer = envelope(0, message(2, varint(1, 1), message(10, message(1, message(1)))));

const digest = (text) => hash("sha256", text, "base64url");

createServer((request, response) => {
  const dialect = dialectOf(request.url);
  if (dialect === undefined || !request.headers.host?.startsWith("127.0.0.1")) return refuse(response, 404);
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.once("end", () => {
    const body = JSON.parse((parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString("utf8"));
    if (!isValid(body)) return refuse(response, 400);
    reply(dialect, body, request, response);
  });
}).listen(0, "127.0.0.1", function listening() {
  process.send({ port: this.address().port });
});

function refuse(response, status) {
  response.writeHead(status).end();
}

function isValid(body) {
  const turns = body.messages ?? body.input;
  if (typeof body.model !== "string" || !Array.isArray(turns) || turns.length === 0) return false;
  return turns.every(({ role, type, content }) => typeof (role ?? type) === "string" && content !== null);
}

function reply(dialect, body, request, response) {
  const runId = randomUUID();
  const key = conversationKey(body);
  const upstream = session.request({ ...fixedHeaders, "x-request-id": runId, "x-original-request-id": runId });
  upstream.write(encodeRun(dialect.newestText(body), body.tools, runId));

  const isStreamed = body.stream === true;
  const frames = dialect.reply(randomUUID().replaceAll("-", ""), Math.floor(Date.now() / 1_000));
  let held = Buffer.alloc(0);
  let text = "";
  let fresh = "";
  let deltas = 0;
  let isBegun = false;
  let isOver = false;
  const leave = () => isOver || upstream.close(8);
  request.socket.once("close", leave);
  upstream.on("error", () => response.destroy());

  upstream.on("data", (chunk) => {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let at = 0;
    while (bytes.length - at >= 5) {
      const end = at + 5 + bytes.readUInt32BE(at + 1);
      if (end > bytes.length) break;
      read(bytes, at + 5);
      at = end;
    }
    held = bytes.subarray(at);
    if (fresh !== "") speak();
    if (isOver) finish();
  });

  /** Messages are recognised by their tags, which have fixed offsets in an update of up to 127 bytes. */
  function read(bytes, from) {
    if (bytes[from] === EXEC_MESSAGE) upstream.write(contextAnswer);
    if (bytes[from] !== INTERACTION_UPDATE) return;
    if (bytes[from + 2] === TEXT_DELTA) fresh += bytes.toString("utf8", from + 6, from + 6 + bytes[from + 5]);
    else if (bytes[from + 2] === TURN_ENDED) isOver = true;
  }

  function speak() {
    text += fresh;
    if (isStreamed) {
      const frame = frames.delta(fresh, deltas);
      response.write(isBegun ? frame : begin() + frame);
    }
    deltas++;
    fresh = "";
  }

  function begin() {
    isBegun = true;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-request-id": runId,
    });
    return frames.begin();
  }

  function finish() {
    upstream.removeAllListeners("data");
    upstream.resume();
    request.socket.off("close", leave);
    digest(`${key} ${digest(text)}`);
    upstream.end();
    if (isStreamed) return response.end((isBegun ? "" : begin()) + frames.end(text, deltas));
    response.writeHead(200, { "content-type": "application/json", "x-request-id": runId });
    response.end(frames.whole(text, deltas));
  }
}

/** The key under which a gateway finds a conversation again. Every message is hashed into it. */
function conversationKey(body) {
  let key = digest(JSON.stringify(body.tools ?? []));
  for (const { role, content, ...rest } of body.messages ?? body.input) {
    const said = typeof content === "string" ? content : JSON.stringify([content, rest]);
    key = digest(`${key} ${digest(`${role} ${said}`)}`);
  }
  return key;
}

function encodeRun(text, tools, runId) {
  const definitions = (tools ?? []).map((tool) => message(1, string(1, JSON.stringify(tool.function ?? tool))));
  return envelope(
    0,
    message(
      1,
      message(1),
      message(2, message(1, message(1, string(1, text)))),
      message(3, model),
      message(4, ...definitions),
      string(5, randomUUID()),
      message(9, string(1, "default")),
      varint(19, 1),
      string(25, runId),
    ),
  );
}
