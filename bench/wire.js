// Just enough protobuf and Connect framing to play Cursor's part in a measurement.
function varintBytes(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 0x80);
  }
}

export const varint = (field, value) => Buffer.concat([varintBytes(field * 8), varintBytes(value)]);
export const message = (field, body) => Buffer.concat([varintBytes(field * 8 + 2), varintBytes(body.length), body]);
export const string = (field, text) => message(field, Buffer.from(text));

export function frame(flags, payload) {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Tells the parent where this process listens. */
export function ping(port) {
  process.send?.({ port });
}
