const signatures = {
  "image/png": (data: Uint8Array) => startsWith(data, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  "image/jpeg": (data: Uint8Array) => startsWith(data, [0xff, 0xd8, 0xff]),
  "image/gif": (data: Uint8Array) => startsWith(data, ascii("GIF87a")) || startsWith(data, ascii("GIF89a")),
  "image/webp": (data: Uint8Array) => startsWith(data, ascii("RIFF")) && startsWith(data.subarray(8), ascii("WEBP")),
  "application/pdf": (data: Uint8Array) => startsWith(data, ascii("%PDF-")),
} as const;

type KnownType = keyof typeof signatures;

/** The type of content by its first bytes, whatever its sender calls it. */
export function detectType(data: Uint8Array): KnownType | undefined {
  return types.find((type) => signatures[type](data));
}

const types = Object.keys(signatures) as KnownType[];

function startsWith(data: Uint8Array, bytes: ArrayLike<number>): boolean {
  return data.length >= bytes.length && Array.from(bytes).every((byte, at) => data[at] === byte);
}

function ascii(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
