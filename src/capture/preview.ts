import { isRun } from "./calls.js";
import { isModelList } from "./catalogue.js";
import type { Capture, CapturedCall, FrameLine } from "./format.js";
import { shownIn } from "./shown-in.js";

/** What is in a capture, for people: its calls, its messages, and every text that it shows. */
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
  // What was said in runs comes first. The many names of models have one line.
  const texts = new Set([...inCalls(isRun), ...inCalls((path) => !isRun(path) && !isModelList(path))]);
  const names = new Set(inCalls(isModelList).filter((name) => !texts.has(name)));
  return [
    ...(header.isWhole ? [] : ["There was more than a capture may hold; it has the beginning."]),
    `Calls (${calls.length}):`,
    ...lines,
    `Texts that it shows (${texts.size + names.size}); all others are lengths:`,
    ...[...texts].map((text) => `  ${JSON.stringify(text)}`),
    ...(names.size === 0 ? [] : [`  in lists of models (${names.size}): ${JSON.stringify([...names]).slice(1, -1)}`]),
    "",
  ].join("\n");
}
