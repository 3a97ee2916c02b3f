import type { ImageBlock, RemoteImageBlock } from "../turn/blocks.js";

/** The longest head we look for: `data:` + MIME type + parameters + `;base64,`. */
const MAX_HEAD_CHARS = 256;

/** An image as APIs pass it: a `data:` URL, or an address. What cannot be either is told in words. */
export function parseImageUrl(url: string): ImageBlock | RemoteImageBlock | { problem: string } {
  if (/^https?:\/\//i.test(url)) {
    return URL.canParse(url) ? { type: "remote-image", url } : { problem: "is not a valid address" };
  }
  const comma = url.slice(0, MAX_HEAD_CHARS).indexOf(",");
  const head = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?((?:;[^;,]*)*)$/i.exec(url.slice(0, Math.max(comma, 0)));
  if (head === null) return { problem: "must be a data: URL (data:image/png;base64,...) or an http(s) address" };
  const mimeType = (head[1] ?? "").toLowerCase();
  if (!mimeType.startsWith("image/")) return { problem: "must have an image type, such as data:image/png;base64,..." };
  if (!/;base64$/i.test(head[2] ?? "")) return { problem: "must be base64: data:image/png;base64,..." };
  const data = decodeBase64(url.slice(comma + 1));
  if (data === undefined) return { problem: "holds broken base64" };
  if (data.length === 0) return { problem: "holds no image data" };
  return { type: "image", mimeType, data };
}

/** Node's decoder skips what is not base64; here that counts as broken, except white space (some clients wrap lines). */
function decodeBase64(text: string): Uint8Array | undefined {
  const data = Buffer.from(text, "base64");
  if (data.length === Buffer.byteLength(text, "base64")) return data;
  const dense = text.replace(/\s+/g, "");
  return data.length === Buffer.byteLength(dense, "base64") ? data : undefined;
}
