import { lookup } from "node:dns/promises";
import type { Clock } from "../../system/clock.js";
import { type AddressPolicy, publicOnly } from "./address-policy.js";
import { ContentLoader } from "./content-loader.js";
import type { Reach } from "./fetch-address.js";
import { type AttachmentLimits, defaultLimits } from "./limits.js";
import { type AttachmentRequest, RequestAttachments } from "./request-attachments.js";

export { loadPdfReader } from "./read-pdf.js";
export type { RequestAttachments } from "./request-attachments.js";

export type Attachments = ReturnType<typeof createAttachments>;

interface AttachmentsDeps {
  readonly clock: Clock;
  /** For tests. No setting changes it: a real gateway fetches from the public internet only. */
  readonly allows?: AddressPolicy;
  readonly limits?: Partial<AttachmentLimits>;
}

/** Converts everything that requests attach or link to text and images. */
export function createAttachments(deps: AttachmentsDeps) {
  const { clock, allows = publicOnly, limits = {} } = deps;
  const reach: Reach = { allows, lookup: (name) => lookup(name, { all: true }) };
  const loader = new ContentLoader({ reach, clock, limits: { ...defaultLimits, ...limits } });
  return { ofRequest: (request: AttachmentRequest) => new RequestAttachments(loader, request) };
}
