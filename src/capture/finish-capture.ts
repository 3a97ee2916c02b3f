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
  /** How long its text may be. */
  readonly maxBytes?: number;
}

/** Makes the capture of everything that was recorded so far, without the last calls if all would be too long. */
export function finishCapture(raw: RawCapture, finishing: Finishing): Capture {
  const { by, version, nowMs, shown, maxBytes = MAX_CAPTURE_BYTES } = finishing;
  const { calls, isWhole } = raw;
  const made = new Date(nowMs).toISOString();
  return shorten(reduceCapture(calls, shown, { curlew: version, made, by, isWhole }), maxBytes);
}

function shorten({ header, calls }: Capture, maxBytes: number): Capture {
  const part = { ...header, isWhole: false };
  const headerBytes = Buffer.byteLength(captureText({ header: part, calls: [] }));
  let bytes = headerBytes;
  const tooLong = calls.findIndex((call) => {
    bytes += Buffer.byteLength(captureText({ header: part, calls: [call] })) - headerBytes;
    return bytes > maxBytes;
  });
  return tooLong === -1 ? { header, calls } : { header: part, calls: calls.slice(0, tooLong) };
}

/** Something in the capture must not leave this computer. Nothing of it was written. */
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
  return text;
}
