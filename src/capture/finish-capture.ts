import { captureText } from "./capture-file.js";
import { type Capture, MAX_CAPTURE_BYTES } from "./format.js";
import { leftoversIn, type PrivateWords } from "./leftovers.js";
import type { RawCapture } from "./raw-capture.js";
import { reduceCapture } from "./reduce.js";
import type { ShownLists } from "./shown-texts.js";

interface Finishing {
  readonly by: Capture["header"]["by"];
  readonly version: string;
  readonly nowMs: number;
  readonly shown: ShownLists;
}

/** Makes the capture of everything that was recorded so far. */
export function finishCapture(raw: RawCapture, { by, version, nowMs, shown }: Finishing): Capture {
  const { calls, isWhole } = raw;
  return reduceCapture(calls, shown, { curlew: version, made: new Date(nowMs).toISOString(), by, isWhole });
}

/** Something in the capture must not leave this computer, or it is too large. Nothing of it was written. */
export class UnsafeCapture extends Error {
  override readonly name = "UnsafeCapture";
}

/**
 * The text of a capture that may be written.
 * @throws {UnsafeCapture} Something in it looks like a token, an address or a name.
 */
export function safeText(capture: Capture, words: PrivateWords): string {
  const text = captureText(capture);
  const left = leftoversIn(text, words);
  if (left.length > 0) throw new UnsafeCapture(`The capture would hold ${left.join(" and ")}, so it is not written.`);
  if (Buffer.byteLength(text) > MAX_CAPTURE_BYTES)
    throw new UnsafeCapture(`The capture has more than ${MAX_CAPTURE_BYTES} bytes, so it is not written.`);
  return text;
}
