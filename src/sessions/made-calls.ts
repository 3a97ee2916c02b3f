import type { TurnStore } from "../store/index.js";

/** The transcripts that end with a call: its client sends back one of them, with the results. */
export interface CallOrigin {
  readonly keys: ReadonlySet<string>;
  /** The same keys without the settings. */
  readonly bareKeys: ReadonlySet<string>;
}

/**
 * Remembers that calls were made, and where. A run that waits for them knows that too, but only this outlives the process, so that
 * a later reply can say what became of the run.
 */
export function rememberCalls(
  store: Pick<TurnStore, "putNote">,
  owner: string,
  callIds: Iterable<string>,
  { key, bareKey }: { readonly key: string; readonly bareKey: string },
): void {
  for (const id of callIds) store.putNote(owner, noteKey(id), `${key} ${bareKey}`);
}

/** Where the first known one of these calls was made; undefined when this gateway made none of them. */
export function originOf(
  store: Pick<TurnStore, "getNote">,
  owner: string,
  callIds: readonly string[],
): CallOrigin | undefined {
  for (const id of callIds) {
    const [key, bareKey] = store.getNote(owner, noteKey(id))?.split(" ") ?? [];
    if (key !== undefined && bareKey !== undefined) return { keys: new Set([key]), bareKeys: new Set([bareKey]) };
  }
  return undefined;
}

function noteKey(callId: string): string {
  return `call ${callId}`;
}
