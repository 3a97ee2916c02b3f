import type { Item } from "./item-schema.js";

const OWN = "curlew.summary.";

/** A summary as the `encrypted_content` of a compaction item. It is the client's own conversation, so it is only wrapped. */
export function sealSummary(summary: string): string {
  return OWN + Buffer.from(summary).toString("base64url");
}

/** Undefined if another service has sealed it. */
export function openSummary(sealed: string): string | undefined {
  return sealed.startsWith(OWN) ? Buffer.from(sealed.slice(OWN.length), "base64url").toString() : undefined;
}

/** A summary replaces everything before it, except the instructions of the conversation. */
export function sinceCompaction(items: readonly Item[]): readonly Item[] {
  const last = items.findLastIndex((item) => item.type === "compaction" && openSummary(item.encrypted_content));
  return items.filter((item, index) => index >= last || isSystem(item) || item.type === "additional_tools");
}

export function isSystem(item: Item): boolean {
  return item.type === "message" && (item.role === "system" || item.role === "developer");
}
