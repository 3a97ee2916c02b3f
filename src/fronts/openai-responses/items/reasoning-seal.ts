import { createHash } from "node:crypto";
import type { ThinkingBlock } from "../../../turn/blocks.js";

const OWN = "curlew.";

/**
 * The `encrypted_content` of a reasoning item. Clients keep the item only if there is some. Where upstream gave no signature we
 * write a mark of our own, which never goes upstream: nobody there could make sense of it.
 */
export function sealReasoning({ text, signature }: Pick<ThinkingBlock, "text" | "signature">): string {
  return signature || OWN + createHash("sha256").update(text).digest("base64url");
}

/** The signature that was sealed, if there was one. */
export function openSeal(sealed: string | null | undefined): string | undefined {
  return !sealed || sealed.startsWith(OWN) ? undefined : sealed;
}
