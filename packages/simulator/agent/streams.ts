import { setMaxListeners } from "node:events";
import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BidiRequestIdSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { badToken } from "../server/admission.js";
import { EnvelopeReader } from "../server/envelope.js";
import { headersOf, pathOf, type SimRequest, type SimResponse } from "../server/node-http.js";
import { sendRefusal } from "../server/refusal.js";
import { Run } from "./run/run.js";
import type { AgentDeps } from "./run/timeline.js";
import type { Appends } from "./transport/appends.js";
import { dialectOf } from "./transport/dialect.js";
import { FrameSink } from "./transport/frame-sink.js";

interface StreamDeps extends AgentDeps {
  /** Every run that has not ended. */
  open: Set<Run>;
}

/** Serves both directions on one HTTP/2 stream. */
export function takeRun(request: SimRequest, response: SimResponse, deps: StreamDeps): void {
  const run = openRun(request, response, deps);
  if (run === undefined) return;
  readEnvelopes(request, run, (payload) => run.receive(payload));
  request.on("end", () => run.hearNoMore());
}

/** Serves the downstream half of HTTP/1.1: the request only names the run, whose messages come as appends. */
export function takeRunSse(request: SimRequest, response: SimResponse, deps: StreamDeps, appends: Appends): void {
  const run = openRun(request, response, deps);
  if (run === undefined) return;
  let isNamed = false;
  readEnvelopes(request, run, (payload) => {
    if (isNamed) return;
    isNamed = true;
    const { requestId } = fromBinary(BidiRequestIdSchema, payload);
    if (requestId === "") throw new ConnectError("The request id is missing.", Code.InvalidArgument);
    const close = appends.open(requestId, (message) => run.receive(message));
    response.once("close", close);
  });
  request.on("end", () => {
    if (!isNamed) run.hearNoMore();
  });
}

function openRun(request: SimRequest, response: SimResponse, deps: StreamDeps): Run | undefined {
  const { world, open } = deps;
  // A client may have left before the handler was called.
  if (response.destroyed || ("stream" in response && response.stream.destroyed)) return undefined;
  const entry = {
    path: pathOf(request),
    httpVersion: request.httpVersion,
    headers: headersOf(request),
    messages: [],
  };
  world.record(entry);
  // Without this listener, a broken connection would crash the simulator.
  request.on("error", () => {});
  response.on("error", () => {});
  const token = world.checkToken(request.headers.authorization);
  const dialect = dialectOf(request.headers["content-type"]);
  if (!token.isValid || dialect === undefined) {
    request.resume();
    if (!token.isValid) sendRefusal(response, badToken(token.reason));
    else response.writeHead(415).end();
    return undefined;
  }
  const life = new AbortController();
  setMaxListeners(0, life.signal); // one listener for each open question, and there may be many
  const isGzip = world.options.gzip;
  const sink = new FrameSink({
    response,
    dialect,
    isGzip,
    signal: life.signal,
    onSent: (bytes) => {
      world.stats.bytesOut += bytes;
    },
  });
  const run: Run = new Run({
    ...deps,
    entry,
    life,
    sink,
    isGzip,
    stopReading: () => request.pause(),
    onOver: () => open.delete(run),
  });
  open.add(run);
  response.once("close", () => run.leave());
  return run;
}

function readEnvelopes(request: SimRequest, run: Run, onPayload: (payload: Buffer) => void): void {
  const reader = new EnvelopeReader();
  let isBroken = false;
  request.on("data", (chunk: Buffer) => {
    if (isBroken) return;
    try {
      for (const { payload } of reader.push(chunk)) onPayload(payload);
    } catch (thrown) {
      isBroken = true;
      run.fail(ConnectError.from(thrown, Code.InvalidArgument));
    }
  });
}
