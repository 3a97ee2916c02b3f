import { type Checkpoint, savePosition } from "../../packages/gateway/core/sessions/positions.js";
import type { TurnStore } from "../../packages/gateway/store/index.js";
import { sampleLineage } from "./sample-state.js";

/** Keeps a checkpoint of the owner "me" where a transcript with this key would be continued. */
export function keepCheckpoint(
  store: TurnStore,
  key: string,
  { firstKey = "first", ...changes }: Partial<Checkpoint> & { readonly firstKey?: string | undefined } = {},
): void {
  const settled = { state: Buffer.of(1), conversationId: "c", phase: "settled" as const, calls: [], memo: "" };
  const { lineage, ...checkpoint } = { lineage: sampleLineage("c"), ...settled, ...changes };
  const made = { system: "", tools: "", model: "default", backend: "agent" };
  const place = { key, bareKey: `bare ${key}`, firstKey };
  savePosition(store, { owner: "me", lineage, callIds: [], checkpoint, ...place, ...made });
}
