/** A Buffer view of the same bytes, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A copy outside Node's buffer pool, where a small copy would keep a whole slab alive. */
export function copyOf(data: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(data.length);
  copy.set(data);
  return copy;
}
