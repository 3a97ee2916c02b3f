export { type AddressPolicy, publicOnly } from "./address-policy.js";
export { type Attachments, createAttachments } from "./attachments.js";
export type { RequestAttachments } from "./request-attachments.js";
