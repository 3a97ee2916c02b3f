import type { Turn } from "../turn/turn.js";
import { promptTags } from "./fingerprint.js";

/** What a reply was made under, by hash. The note of its transcript keeps it, so that a later turn can say what has changed. */
export interface SeenSettings {
  readonly system: string;
  readonly tools: string;
  readonly model: string;
}

export function seenSettings({ system, tools }: Turn, model: string): SeenSettings {
  return { ...promptTags(system, tools), model };
}

export function writeSeenSettings({ system, tools, model }: SeenSettings): string {
  return `seen ${system} ${tools} ${model}`;
}

/** Returns undefined for a note that says only that a transcript was seen. */
export function readSeenSettings(note: string): SeenSettings | undefined {
  const [, system, tools, ...model] = note.split(" ");
  return system === undefined || tools === undefined || model.length === 0
    ? undefined
    : { system, tools, model: model.join(" ") };
}
