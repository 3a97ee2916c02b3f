import type { CallBlock } from "../../turn/blocks.js";
import type { Batch, Step, TurnEvent } from "../../turn/event.js";

/** Repeatable random numbers, so that a failing case can be run again. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** A text whole, in single characters, and cut at random. */
export function slicings(text: string): string[][] {
  const random = seededRandom(text.length + 1);
  const cutAtRandom = (longest: number) => {
    const slices: string[] = [];
    for (let at = 0; at < text.length; ) {
      const length = 1 + Math.floor(random() * longest);
      slices.push(text.slice(at, at + length));
      at += length;
    }
    return slices;
  };
  return [[text], text.split(""), ...[2, 3, 5, 8, 13, 40].map(cutAtRandom)];
}

/** The content of a reply, independent of the slicing: by kind, and the kinds in order without repetitions. */
export function digest(events: Batch) {
  const calls: Omit<CallBlock, "type">[] = [];
  const order: string[] = [];
  let [text, thinking] = ["", ""];
  let finish: string | undefined;
  for (const event of events) {
    if (event.type === "text") text += event.delta;
    if (event.type === "thinking") thinking += event.delta;
    if (event.type === "call") calls.push({ id: event.id, name: event.name, input: "" });
    if (event.type === "call-input") for (const call of calls) if (call.id === event.id) call.input += event.delta;
    if (event.type === "finish") finish = event.reason;
    if (order.at(-1) !== event.type) order.push(event.type);
  }
  return { text, thinking, calls, order, finish };
}

/** Feeds each slice of a text as a delta, then the rest of the reply. */
export function feed(
  step: Required<Step>,
  slices: readonly string[],
  rest: Batch = [{ type: "finish", reason: "stop" }],
): Batch {
  const deltas = slices.map((delta): TurnEvent => ({ type: "text", delta }));
  return [...[...deltas, ...rest].flatMap((event) => step.push([event])), ...step.end()];
}
