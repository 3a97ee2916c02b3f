/** Node's decoder skips what is not base64; here that counts as broken, except white space (some clients wrap lines). */
export function decodeBase64(text: string): Uint8Array | undefined {
  const data = Buffer.from(text, "base64");
  if (data.length === Buffer.byteLength(text, "base64")) return data;
  const dense = text.replace(/\s+/g, "");
  return data.length === Buffer.byteLength(dense, "base64") ? data : undefined;
}
