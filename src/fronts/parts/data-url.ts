/** The longest head we look for: `data:` + MIME type + parameters + `;base64,`. */
const MAX_HEAD_CHARS = 256;

export interface DataUrl {
  /** In small letters; empty where the URL names none. */
  mimeType: string;
  isBase64: boolean;
  content: string;
}

/** Undefined when it is none. */
export function splitDataUrl(url: string): DataUrl | undefined {
  const comma = url.slice(0, MAX_HEAD_CHARS).indexOf(",");
  const head = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?((?:;[^;,]*)*)$/i.exec(url.slice(0, Math.max(comma, 0)));
  if (head === null) return undefined;
  const [, mimeType = "", parameters = ""] = head;
  return {
    mimeType: mimeType.toLowerCase(),
    isBase64: /;base64$/i.test(parameters),
    content: url.slice(comma + 1),
  };
}

/** Node's decoder skips what is not base64; here that counts as broken, except white space (some clients wrap lines). */
export function decodeBase64(text: string): Uint8Array | undefined {
  const data = Buffer.from(text, "base64");
  if (data.length === Buffer.byteLength(text, "base64")) return data;
  const dense = text.replace(/\s+/g, "");
  return data.length === Buffer.byteLength(dense, "base64") ? data : undefined;
}
