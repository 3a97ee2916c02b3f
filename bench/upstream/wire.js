// Just enough protobuf and Connect framing to act as Cursor in a measurement.
const LENGTH_DELIMITED = 2;
const HEAD_BYTES = 5;

function varintBytes(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 0x80);
  }
}

export const varint = (field, value) => Buffer.concat([varintBytes(field * 8), varintBytes(value)]);
export const message = (field, ...parts) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([varintBytes(field * 8 + LENGTH_DELIMITED), varintBytes(body.length), body]);
};
export const string = (field, text) => message(field, Buffer.from(text));

export function envelope(flags, payload) {
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = flags;
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Cuts a stream of bytes into the payloads of its envelopes. */
export function envelopeReader(onPayload) {
  let held = [];
  let heldBytes = 0;
  return (chunk) => {
    held.push(chunk);
    heldBytes += chunk.length;
    // The chunks of a long message are joined when it is complete, not at every chunk.
    if (heldBytes < HEAD_BYTES || heldBytes < HEAD_BYTES + wantedBytes(held)) return;
    let rest = Buffer.concat(held);
    while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUInt32BE(1)) {
      const end = HEAD_BYTES + rest.readUInt32BE(1);
      onPayload(rest.subarray(HEAD_BYTES, end));
      rest = rest.subarray(end);
    }
    held = rest.length === 0 ? [] : [rest];
    heldBytes = rest.length;
  };
}

function wantedBytes(held) {
  const first = held[0].length >= HEAD_BYTES ? held[0] : Buffer.concat(held);
  return first.readUInt32BE(1);
}

/** The value of a message's first field with that number, as bytes or a number; undefined when it is missing. */
export function field(bytes, wanted) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 0x7f) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = number();
    const type = tag & 7;
    const start = at;
    let value;
    if (type === 0) value = number();
    else if (type === LENGTH_DELIMITED) {
      const length = number();
      value = bytes.subarray(at, at + length);
      at += length;
    } else at = start + (type === 1 ? 8 : 4);
    if (Math.floor(tag / 8) === wanted) return value;
  }
  return undefined;
}
