import type { Capture, FrameLine } from "./format.js";
import { shownIn } from "./shown-in.js";

const MAX_TEXTS = 40;
const MAX_CHARS = 100;

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
  const texts = [...new Set(shownIn(capture))].filter((text) => /\p{L}/u.test(text));
  const shown = texts.slice(0, MAX_TEXTS).map((text) => `  ${JSON.stringify(text.slice(0, MAX_CHARS))}`);
  const more = texts.length > MAX_TEXTS ? [`  and ${texts.length - MAX_TEXTS} more`] : [];
  return [
    ...(header.isWhole ? [] : ["There was more than a capture may hold; it has the beginning."]),
    `Calls (${calls.length}):`,
    ...lines,
    `Texts that it shows (${texts.length}); all others are lengths:`,
    ...shown,
    ...more,
    "",
  ].join("\n");
}
