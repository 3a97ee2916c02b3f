export { type Attachments, createAttachments } from "./attachments.js";
export type { RequestAttachments } from "./request-attachments.js";
