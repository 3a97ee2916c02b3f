import { inflateSync } from "node:zlib";
import { blobId, blobKey } from "../server/blob-id.js";

/** What the model keeps of an image. */
export interface ImageNote {
  mimeType: string;
  hash: string;
  bytes: number;
  /** The word for its colour, if it is known. */
  colour?: string;
}

/** Describes an image. */
export function noteImage(mimeType: string, data: Uint8Array): ImageNote {
  const colour = colourOf(Buffer.from(data));
  return {
    mimeType,
    hash: blobKey(blobId(data)),
    bytes: data.byteLength,
    ...(colour !== undefined && { colour }),
  };
}

const PNG_START = Buffer.from("89504e470d0a1a0a", "hex");
const EIGHT_BIT_RGB = Buffer.from([8, 2]);
/** Limit of the inflated pixels: a larger picture has no known colour. */
const MAX_PIXEL_BYTES = 1024 * 1024;

const colours: readonly (readonly [word: string, red: number, green: number, blue: number])[] = [
  ["red", 255, 0, 0],
  ["green", 0, 160, 0],
  ["blue", 0, 0, 255],
  ["yellow", 255, 255, 0],
  ["white", 255, 255, 255],
  ["black", 0, 0, 0],
];

/** The colour of the first pixel of a PNG without palette or transparency; undefined for other images. */
function colourOf(data: Buffer): string | undefined {
  if (!data.subarray(0, 8).equals(PNG_START) || !data.subarray(24, 26).equals(EIGHT_BIT_RGB)) return undefined;
  const parts: Buffer[] = [];
  for (let at = 8; at + 12 <= data.length; ) {
    const length = data.readUInt32BE(at);
    if (data.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(data.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  try {
    // The first byte is the filter of the row, which leaves its first pixel as it is.
    const [, red = 0, green = 0, blue = 0] = inflateSync(Buffer.concat(parts), { maxOutputLength: MAX_PIXEL_BYTES });
    return nearestColour(red, green, blue);
  } catch {
    return undefined; // too large or corrupt
  }
}

function nearestColour(red: number, green: number, blue: number): string | undefined {
  const distance = ([, r, g, b]: (typeof colours)[number]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  return colours.toSorted((a, b) => distance(a) - distance(b))[0]?.[0];
}
