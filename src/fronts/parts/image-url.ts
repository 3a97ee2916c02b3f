import type { ImageBlock, RemoteImageBlock } from "../../turn/blocks.js";
import { detectType } from "../../turn/detect-type.js";
import { decodeBase64, splitDataUrl } from "./data-url.js";

/** An image as APIs pass it: a `data:` URL, or an address. What cannot be either is told in words. */
export function parseImageUrl(url: string): ImageBlock | RemoteImageBlock | { problem: string } {
  if (/^https?:\/\//i.test(url)) {
    return URL.canParse(url) ? { type: "remote-image", url } : { problem: "is not a valid address" };
  }
  const parts = splitDataUrl(url);
  if (parts === undefined) return { problem: "must be a data: URL (data:image/png;base64,...) or an http(s) address" };
  const { isBase64, content } = parts;
  if (!isBase64) return { problem: "must be base64: data:image/png;base64,..." };
  const data = decodeBase64(content);
  if (data === undefined) return { problem: "holds broken base64" };
  if (data.length === 0) return { problem: "holds no image data" };
  const mimeType = parts.mimeType.startsWith("image/") ? parts.mimeType : (detectType(data) ?? "");
  if (!mimeType.startsWith("image/")) return { problem: "must have an image type, such as data:image/png;base64,..." };
  return { type: "image", mimeType, data };
}
