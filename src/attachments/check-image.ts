import type { ImageBlock } from "../turn/blocks.js";
import { detectType } from "../turn/detect-type.js";
import { GatewayError } from "../turn/error.js";

const MIB = 1024 * 1024;

/**
 * The image with its real type. `what` is the subject of the error message.
 * @throws GatewayError `unsupported_image` or `image_too_large`
 */
export function checkImage(data: Uint8Array, maxBytes: number, what = "An image"): ImageBlock {
  const mimeType = detectType(data);
  if (mimeType === undefined || mimeType === "application/pdf") {
    throw new GatewayError(
      "unsupported_image",
      `${what} is not a PNG, JPEG, GIF or WebP, which are the formats that models take.`,
    );
  }
  if (data.length > maxBytes) {
    const size = (data.length / MIB).toFixed(1);
    const most = (maxBytes / MIB).toFixed(1);
    throw new GatewayError("image_too_large", `${what} has ${size} MiB, and may have ${most}. Make it smaller.`);
  }
  return { type: "image", mimeType, data };
}
