import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { SimRequest, SimResponse } from "../node-http.js";
import type { ChatChannel } from "./answer.js";
import { messageFrame, readFrames } from "./frames.js";

/** Inside the five bytes that head a frame: readers must cope with a frame that comes in pieces. */
const CUT_AT = 3;

export function openChannel(
  request: SimRequest,
  response: SimResponse,
  isCompressed: boolean,
): ChatChannel & { end(lastFrame: Buffer): void } {
  const frames = readFrames(request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>);

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
    send: (message) => write(messageFrame(message, isCompressed)),
    async next() {
      const { value } = await frames.next();
      return value ?? undefined;
    },
    wait: (ms) => sleep(ms, undefined, { ref: false }),
    drop: () => void body.destroy(),
    end: (lastFrame) => void body.end(lastFrame),
  };
}
