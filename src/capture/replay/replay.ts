import { fromBinary } from "@bufbuild/protobuf";
import { EnvelopeReader } from "../../backends/cursor/envelope.js";
import { BidiRequestIdSchema } from "../../gen/agent_v1_pb.js";
import { BidiAppendRequestSchema } from "../../gen/aiserver_v1_pb.js";
import { BIDI_APPEND, isPlayable, isRun, isSecret, RUN, RUN_SSE, shownPath } from "../calls.js";
import type { Capture, CapturedCall } from "../format.js";
import { shownIn } from "../shown-in.js";
import { Filler } from "./filler.js";
import { Inbox } from "./inbox.js";
import type { ReplayRequest, ReplayResponse } from "./node-http.js";
import { type PlayDeps, playCall } from "./play-call.js";

/** As much as a client may send in one request. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const MAX_INBOXES = 1_000;

export interface Replay {
  /** Answers a request from the capture. Returns false for one that it has nothing for. */
  handle(request: ReplayRequest, response: ReplayResponse): boolean;
}

/**
 * Plays the server's side of a capture: the first call of each path gets what the first one got, and so on. Single calls get the
 * last answer again when there are no more.
 */
export function createReplay(capture: Capture, deps: Omit<PlayDeps, "filler">): Replay {
  const left = new Map<string, CapturedCall[]>();
  for (const call of capture.calls) {
    const { path } = call.opening;
    if (isPlayable(path) || isSecret(path)) left.set(path, [...(left.get(path) ?? []), call]);
  }
  const inboxes = new Map<string, Inbox>();
  const inboxOf = (requestId: string): Inbox => {
    const inbox = inboxes.get(requestId) ?? new Inbox();
    inboxes.set(requestId, inbox);
    for (const oldest of inboxes.keys()) {
      if (inboxes.size <= MAX_INBOXES) break;
      inboxes.delete(oldest);
    }
    return inbox;
  };
  const play: PlayDeps = { ...deps, filler: new Filler(shownIn(capture)) };

  return {
    handle(request, response) {
      const path = shownPath((request.url ?? "/").split("?", 1)[0] ?? "/");
      if (path === BIDI_APPEND) {
        takeAppend(request, response, inboxOf).catch(() => response.destroy());
        return true;
      }
      const calls = left.get(path);
      const call = isRun(path) || (calls?.length ?? 0) > 1 ? calls?.shift() : calls?.[0];
      if (call === undefined) {
        if (!isRun(path)) return false;
        refuse(request, response);
        return true;
      }
      // Nobody can sign in with what is left of a credential, so the simulator gives its own.
      if (isSecret(path) && !isRefused(call)) return false;
      bindHeaders(call, request, play.filler);
      if (path === RUN) {
        const inbox = new Inbox();
        const reader = new EnvelopeReader({
          message: (bytes, start, end) => inbox.push(Buffer.from(bytes.subarray(start, end))),
          end: () => {},
        });
        request.on("data", (chunk: Buffer) => readInto(reader, chunk, response));
        playCall(call, { request, response, inbox }, play).catch(() => response.destroy());
      } else playWhole(call, request, response, play, inboxOf).catch(() => response.destroy());
      return true;
    },
  };
}

/** A client that sends something else than frames is let go. */
function readInto(reader: EnvelopeReader, chunk: Buffer, response: ReplayResponse): void {
  try {
    reader.push(chunk);
  } catch {
    response.destroy();
  }
}

async function playWhole(
  call: CapturedCall,
  request: ReplayRequest,
  response: ReplayResponse,
  deps: PlayDeps,
  inboxOf: (requestId: string) => Inbox,
): Promise<void> {
  const body = await readBody(request);
  let inbox = new Inbox();
  if (call.opening.path === RUN_SSE) inbox = inboxOf(fromBinary(BidiRequestIdSchema, body.subarray(5)).requestId);
  else if (body.length > 0) inbox.push(body);
  await playCall(call, { request, response, inbox }, deps);
}

async function takeAppend(
  request: ReplayRequest,
  response: ReplayResponse,
  inboxOf: (requestId: string) => Inbox,
): Promise<void> {
  const { requestId, appendSeqno, data, dataBinary } = fromBinary(BidiAppendRequestSchema, await readBody(request));
  const message = data === "" ? Buffer.from(dataBinary) : Buffer.from(data, "hex");
  inboxOf(requestId?.requestId ?? "").pushNumbered(Number(appendSeqno), message);
  response.setHeader("content-type", "application/proto");
  response.end();
}

async function readBody(request: ReplayRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function bindHeaders({ opening }: CapturedCall, request: ReplayRequest, filler: Filler): void {
  for (const { name, pieces } of opening.headers) {
    const actual = request.headers[name];
    if (typeof actual === "string") filler.bindPieces(pieces, Buffer.from(actual));
  }
}

function isRefused({ events }: CapturedCall): boolean {
  return events.some((event) => event.type === "head" && event.status !== 200);
}

/** A run that the capture does not have. A retry would not get one either. */
function refuse(request: ReplayRequest, response: ReplayResponse): void {
  request.resume();
  const error = { code: "failed_precondition", message: "The capture has no further run over this version of HTTP." };
  response.setHeader("content-type", "application/json");
  response.writeHead(400);
  response.end(JSON.stringify(error));
}
