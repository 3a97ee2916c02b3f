// Cursor's side of one agent stream: it asks for the context, writes text, makes a tool call and sends a checkpoint, as the
// request specifies.
import { hash, randomUUID } from "node:crypto";
import { CALLED_TOOL, play, readSpec, word } from "./spec.js";
import { envelope, envelopeReader, field, message, string, varint } from "./wire.js";

/** Cursor sends heartbeats while a client runs a call. Their real period is not known; with this one Cursor's own SDK keeps waiting. */
const HEARTBEAT_MS = 5_000;
const CONTEXT_EXEC = 1;
const CALL_EXEC = 2;

const endOfStream = envelope(2, Buffer.from("{}"));
const contextQuestion = envelope(0, message(2, varint(1, CONTEXT_EXEC), message(10)));

const voices = { plain: voice("plain"), live: voice("live") };

/** What each update is like, plain or as a live server is said to send it (docs/guide/simulator.md, like live). */
function voice(like) {
  const isLive = like === "live";
  const startedAt = isLive ? [varint(25, 1_790_000_000_000)] : [];
  const update = (...parts) => envelope(0, message(1, ...parts, ...startedAt));
  return {
    like,
    heartbeat: update(message(13)),
    textDelta: (index) => update(message(1, string(1, word(index)))),
    callCount: isLive ? update(message(27, varint(1, 1))) : Buffer.alloc(0),
    turnEnded: (deltas) => update(message(14, varint(1, deltas), varint(2, deltas))),
  };
}

/** Runs one agent on `stream`, `like` a plain or a live server. `chunksOf` caches the chunks of replies that were played before. */
export function runAgent(stream, { like, chunksOf, onDeltas }) {
  let spec;
  let server = voices[like];
  let state = Buffer.alloc(0);
  const waiting = new Map();

  const read = envelopeReader((payload) => {
    if (spec === undefined) return begin(payload);
    // An exec counts as answered at its first result, whether or not the client closes it.
    const answer = field(payload, 2);
    if (answer === undefined) return;
    const id = field(answer, 1);
    waiting.get(id)?.();
    waiting.delete(id);
  });
  stream.on("data", read);

  function begin(payload) {
    spec = readSpec(payload);
    if (spec.plain === 1) server = voices.plain;
    state = field(field(payload, 1), 1) ?? state;
    stream.respond({ ":status": 200, "content-type": "application/connect+proto" });
    stream.write(server.heartbeat);
    if (spec.context === 0) return speak();
    waiting.set(CONTEXT_EXEC, speak);
    stream.write(contextQuestion);
  }

  function speak() {
    say(spec.call === 0 ? finish : call);
  }

  function say(last) {
    play(stream, chunksOf(server.like, spec, server.textDelta), {
      pauseMs: spec.pause,
      onChunk: () => onDeltas(spec.chunk),
      last,
    });
  }

  function call() {
    const callId = `call_${randomUUID()}`;
    const args = [string(1, `app-${CALLED_TOOL}`), string(3, callId), string(4, "app")];
    waiting.set(CALL_EXEC, () => say(finish));
    const asked = envelope(0, message(2, varint(1, CALL_EXEC), message(11, ...args, string(5, CALLED_TOOL))));
    stream.write(Buffer.concat([server.callCount, asked]));
    stream.write(checkpoint(string(4, JSON.stringify({ toolCallId: callId }))));
    const beating = setInterval(() => stream.write(server.heartbeat), HEARTBEAT_MS);
    stream.once("close", () => clearInterval(beating));
  }

  function finish() {
    const { deltas } = spec;
    if (spec.checkpoint === 0) return stream.end(Buffer.concat([server.turnEnded(deltas), endOfStream]));
    const entries = ["user", "assistant"].map((role) => Buffer.from(`{"role":"${role}","id":"${randomUUID()}"}`));
    const ids = entries.map((entry) => hash("sha256", entry, "buffer"));
    const blobs = entries.map((entry, index) =>
      envelope(0, message(4, varint(1, index), message(3, message(1, ids[index]), message(2, entry)))),
    );
    const known = ids.map((id) => message(1, id));
    stream.end(Buffer.concat([...blobs, checkpoint(...known), server.turnEnded(deltas), endOfStream]));
  }

  /** The state that the run was given, plus the additions: concatenated protobuf messages are merged. */
  function checkpoint(...added) {
    return envelope(0, message(3, state, ...added));
  }
}
