import { fromBinary } from "@bufbuild/protobuf";
import { BidiRequestIdSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { BidiAppendRequestSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { isRun, isSecret, messageOf, RUN, RUN_SSE, shownPath } from "@curlew/wire/messages/calls.js";
import { type Capture, type CapturedCall, shownIn } from "@curlew/wire/messages/capture-format.js";
import { END, EnvelopeReader } from "../server/envelope.js";
import { pathOf, readBody, type SimRequest, type SimResponse, sendJson } from "../server/node-http.js";
import type { TakeOver } from "../simulator.js";
import { Filler } from "./filler.js";
import { Inbox, type PlayDeps, playCall } from "./play-call.js";

const BIDI_APPEND = "/aiserver.v1.BidiService/BidiAppend";
/** As much as a client may send in one request. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const MAX_INBOXES = 1_000;

/**
 * Plays the server's side of a capture: the nth call of each path gets the nth recorded answer. Calls other than runs get the
 * last answer again when none is left.
 */
export function createReplay(capture: Capture, onDeviation: PlayDeps["onDeviation"]): TakeOver {
  const left = new Map<string, CapturedCall[]>();
  for (const call of capture.calls) {
    const { path } = call.opening;
    // Calls whose messages are known, and those whose bodies were not recorded.
    const isPlayable = isSecret(path) || path.endsWith("/models") || messageOf(path, "server") !== undefined;
    if (isPlayable) left.set(path, [...(left.get(path) ?? []), call]);
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
  const play: PlayDeps = { onDeviation, filler: new Filler(shownIn(capture)) };

  return (request, response) => {
    const path = shownPath(pathOf(request));
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
    // Captures have no usable credentials, so the simulator issues its own.
    if (isSecret(path) && !isRefused(call)) return false;
    bindHeaders(call, request, play.filler);
    if (path === RUN) {
      const inbox = new Inbox();
      const reader = new EnvelopeReader();
      request.on("data", (chunk: Buffer) => readInto(inbox, reader, chunk, response));
      playCall(call, { request, response, inbox }, play).catch(() => response.destroy());
    } else playWhole(call, request, response, play, inboxOf).catch(() => response.destroy());
    return true;
  };
}

/** Disconnects a client that sends anything but frames. */
function readInto(inbox: Inbox, reader: EnvelopeReader, chunk: Buffer, response: SimResponse): void {
  try {
    for (const { flags, payload } of reader.push(chunk)) if ((flags & END) === 0) inbox.push(payload);
  } catch {
    response.destroy();
  }
}

async function playWhole(
  call: CapturedCall,
  request: SimRequest,
  response: SimResponse,
  deps: PlayDeps,
  inboxOf: (requestId: string) => Inbox,
): Promise<void> {
  const body = await readBody(request, MAX_BODY_BYTES);
  let inbox = new Inbox();
  if (call.opening.path === RUN_SSE) inbox = inboxOf(fromBinary(BidiRequestIdSchema, body.subarray(5)).requestId);
  else if (body.length > 0) inbox.push(body);
  await playCall(call, { request, response, inbox }, deps);
}

async function takeAppend(
  request: SimRequest,
  response: SimResponse,
  inboxOf: (requestId: string) => Inbox,
): Promise<void> {
  const { requestId, appendSeqno, data, dataBinary } = fromBinary(
    BidiAppendRequestSchema,
    await readBody(request, MAX_BODY_BYTES),
  );
  const message = data === "" ? Buffer.from(dataBinary) : Buffer.from(data, "hex");
  inboxOf(requestId?.requestId ?? "").pushNumbered(Number(appendSeqno), message);
  response.setHeader("content-type", "application/proto");
  response.end();
}

function bindHeaders({ opening }: CapturedCall, request: SimRequest, filler: Filler): void {
  for (const { name, pieces } of opening.headers) {
    const actual = request.headers[name];
    if (typeof actual === "string") filler.bindPieces(pieces, Buffer.from(actual));
  }
}

function isRefused({ events }: CapturedCall): boolean {
  return events.some((event) => event.type === "head" && event.status !== 200);
}

/** A run that the capture does not have. A retry would not get one either. */
function refuse(request: SimRequest, response: SimResponse): void {
  request.resume();
  const error = { code: "failed_precondition", message: "The capture has no further run over this version of HTTP." };
  sendJson(response, 400, error);
}
