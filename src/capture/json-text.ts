import type { Segment } from "./shown-texts.js";

/** All that JSON has outside of its texts, besides numbers and words. */
const SYNTAX = /[\s{}[\]:,]/;

/**
 * The syntax of JSON without its texts, numbers and words. A part may begin inside of a text, so only these characters are shown,
 * whichever side of a quote they are thought to be on. It also takes JSON that is being written and has no end yet: a beginning gives the
 * beginning of the segments, so that a client can put the parts together when they are played again.
 */
export function segmentsOfJson(text: string): Segment[] {
  const segments: Segment[] = [];
  const add = (part: string, isShown: boolean) => {
    const last = segments.at(-1);
    if (last?.isShown === isShown) segments[segments.length - 1] = { text: last.text + part, isShown };
    else segments.push({ text: part, isShown });
  };
  let isInside = false;
  let isEscaped = false;
  for (const char of text) {
    const isQuote = char === '"' && !isEscaped;
    add(char, isQuote || (!isInside && SYNTAX.test(char)));
    if (isQuote) isInside = !isInside;
    isEscaped = isInside && char === "\\" && !isEscaped;
  }
  return segments;
}
