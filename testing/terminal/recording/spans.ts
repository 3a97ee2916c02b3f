import type { Frame } from "./film.js";

/** Something that is on the screen from one moment to another. */
export interface Span<Thing> {
  readonly thing: Thing;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The same things in neighbouring frames are one span. */
export function spansOf<Thing>(frames: readonly Frame[], thingsIn: (frame: Frame) => ReadonlyMap<string, Thing>) {
  const done: Span<Thing>[] = [];
  let open = new Map<string, Span<Thing>>();
  let nowMs = 0;
  for (const frame of frames) {
    const next = new Map<string, Span<Thing>>();
    for (const [name, thing] of thingsIn(frame)) {
      next.set(name, { thing, fromMs: open.get(name)?.fromMs ?? nowMs, toMs: nowMs + frame.holdMs });
    }
    done.push(...[...open].filter(([name]) => !next.has(name)).map(([, span]) => span));
    open = next;
    nowMs += frame.holdMs;
  }
  return [...done, ...open.values()];
}

export function lengthOf(frames: readonly Frame[]): number {
  return frames.reduce((sum, { holdMs }) => sum + holdMs, 0);
}
