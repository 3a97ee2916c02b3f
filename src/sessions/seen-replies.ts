import type { TurnStore } from "../store/index.js";
import type { Turn } from "../turn/turn.js";
import { promptTags } from "./fingerprint.js";

/** What a reply was made under. The prompt and the tools are hashes. */
export interface SeenSettings {
  readonly system: string;
  readonly tools: string;
  readonly model: string;
}

/**
 * What the gateway notes of a reply under the key of its transcript alone, so that a turn under other settings finds the
 * checkpoint and can say what has changed.
 */
export interface SeenReply extends SeenSettings {
  /** The backend that can read the checkpoint. */
  readonly backend: string;
  /** The key of the checkpoint. */
  readonly key: string;
}

export function seenSettings({ system, tools }: Turn, model: string): SeenSettings {
  return { ...promptTags(system, tools), model };
}

export function noteReply(
  store: Pick<TurnStore, "putNote">,
  owner: string,
  bareKey: string,
  { backend, key, system, tools, model }: SeenReply,
): void {
  store.putNote(owner, bareKey, [backend, key, system, tools, model].join(" "));
}

/** Returns undefined where nothing is noted, or only that the transcript was seen, as earlier versions did. */
export function seenReply(store: Pick<TurnStore, "getNote">, owner: string, bareKey: string): SeenReply | undefined {
  const [backend, key, system, tools, ...model] = store.getNote(owner, bareKey)?.split(" ") ?? [];
  if (backend === undefined || key === undefined || system === undefined || tools === undefined) return undefined;
  return { backend, key, system, tools, model: model.join(" ") };
}
