import { isRun } from "@curlew/wire/messages/calls.js";
import {
  type Capture,
  type CapturedCall,
  captureText,
  type FrameLine,
  MAX_CAPTURE_BYTES,
  shownIn,
} from "@curlew/wire/messages/capture-format.js";
import { leftoversIn, type PrivateWords } from "./leftovers.js";
import { isModelList } from "./parse-calls.js";
import type { RawCapture } from "./raw-capture.js";
import { reduceCapture } from "./reduce.js";
import type { ShownLists } from "./shown-texts.js";

interface Finishing {
  readonly by: Capture["header"]["by"];
  readonly version: string;
  readonly nowMs: number;
  readonly shown: ShownLists;
  readonly maxBytes?: number;
}

/** Makes the capture of everything that was recorded so far, without the last calls if all would be too long. */
export function finishCapture({ calls, isWhole }: RawCapture, finishing: Finishing): Capture {
  const { by, version, nowMs, shown, maxBytes = MAX_CAPTURE_BYTES } = finishing;
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

/** The text of a capture that may be written. @throws {UnsafeCapture} Something in it looks like a token, an address or a name. */
export function safeText(capture: Capture, words: PrivateWords): string {
  const text = captureText(capture);
  const left = leftoversIn(text, words);
  if (left.length > 0) throw new UnsafeCapture(`The capture would hold ${left.join(" and ")}, so it is not written.`);
  return text;
}

/** A readable summary of a capture: its calls, its messages, and every text that it shows. */
export function previewOf(capture: Capture): string {
  const { calls, header } = capture;
  const lines = calls.flatMap(({ opening, events }) => {
    const frames = events.filter((event) => event.type === "frame");
    const end = events.findLast((event) => event.type === "end");
    const count = (from: FrameLine["from"]) => frames.filter((frame) => frame.from === from).length;
    const how = end?.type === "end" ? end.how : "still open";
    return `  ${opening.path}  ${count("client")} sent, ${count("server")} received, ${how}`;
  });
  const inCalls = (isWanted: (path: string) => boolean) => {
    const wanted: CapturedCall[] = calls.filter(({ opening }) => isWanted(opening.path));
    return [...shownIn({ header, calls: wanted })].filter((text) => /[\p{L}\p{N}]/u.test(text));
  };
  // The texts of runs come first. The many names of models have one line.
  const texts = new Set([...inCalls(isRun), ...inCalls((path) => !isRun(path) && !isModelList(path))]);
  const names = new Set(inCalls(isModelList).filter((name) => !texts.has(name)));
  return [
    ...(header.isWhole ? [] : ["The recording exceeds the size of a capture, which holds only its beginning."]),
    `Calls (${calls.length}):`,
    ...lines,
    `Readable texts (${texts.size + names.size}); of all others, only the lengths:`,
    ...[...texts].map((text) => `  ${JSON.stringify(text)}`),
    ...(names.size === 0 ? [] : [`  in lists of models (${names.size}): ${JSON.stringify([...names]).slice(1, -1)}`]),
    "",
  ].join("\n");
}
