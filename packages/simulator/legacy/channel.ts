import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectError } from "@connectrpc/connect";
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import { END, EnvelopeReader, encodeEnvelope, encodeGzipEnvelope } from "../server/envelope.js";
import type { SimRequest, SimResponse } from "../server/node-http.js";
import type { ChatChannel } from "./answer.js";

/** Inside the five bytes that head a frame: readers must handle a frame that comes in pieces. */
const CUT_AT = 3;

export function openChannel(
  request: SimRequest,
  response: SimResponse,
  isCompressed: boolean,
): ChatChannel & { end(lastFrame: Buffer): void } {
  const frames = readMessages(request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>);

  const body: Writable = response;
  const write = (bytes: Buffer): Promise<void> =>
    new Promise((sent) => {
      body.once("close", sent);
      const done = () => {
        body.off("close", sent);
        sent();
      };
      body.write(bytes.subarray(0, CUT_AT), () => body.write(bytes.subarray(CUT_AT), done));
    });

  return {
    send: (message) => write(isCompressed ? encodeGzipEnvelope(0, message) : encodeEnvelope(0, message)),
    async next() {
      const { value } = await frames.next();
      return value ?? undefined;
    },
    wait: (ms) => sleep(ms, undefined, { ref: false }),
    drop: () => void body.destroy(),
    end: (lastFrame) => void body.end(lastFrame),
  };
}

async function* readMessages(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const reader = new EnvelopeReader();
  for await (const chunk of chunks) {
    for (const { flags, payload } of reader.push(chunk)) if ((flags & END) === 0) yield payload;
  }
  if (reader.isInside) throw new Error("the stream ended in the middle of a frame");
}

/** The last frame: JSON, and compressed (0x03) as Cursor sends it (docs/protocol/wire.md, frames). */
export function endFrame(error: ConnectError | undefined, isCompressed: boolean): Buffer {
  const content = error === undefined ? {} : { error: errorToJson(error, undefined) };
  const payload = Buffer.from(JSON.stringify(content));
  return isCompressed ? encodeGzipEnvelope(END, payload) : encodeEnvelope(END, payload);
}
