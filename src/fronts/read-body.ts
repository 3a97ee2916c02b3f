import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { GatewayError } from "../turn/error.js";

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflaters: Readonly<Record<string, Inflate>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  br: promisify(brotliDecompress),
  // The name means zlib's format; some senders leave zlib's head out.
  deflate: (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? inflateZlib : inflateHeadless)(bytes, options),
};
const inflateZlib: Inflate = promisify(inflate);
const inflateHeadless: Inflate = promisify(inflateRaw);

/** The whole body, inflated if need be; never more than the limit, before or after. */
export async function readBody(incoming: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const inflate = chooseInflater(incoming.headers["content-encoding"]);
  if (Number(incoming.headers["content-length"]) > limitBytes) throw tooLarge(limitBytes);
  const bytes = await readBytes(incoming, limitBytes);
  if (inflate === undefined) return bytes;
  try {
    return await inflate(bytes, { maxOutputLength: limitBytes });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(limitBytes);
    throw new GatewayError(
      "invalid_request",
      "The body is not what its content-encoding says: it cannot be inflated.",
      {
        cause,
      },
    );
  }
}

function chooseInflater(encoding: string | undefined): Inflate | undefined {
  const name = (encoding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return undefined;
  const found = Object.hasOwn(inflaters, name) ? inflaters[name] : undefined;
  if (found !== undefined) return found;
  const known = "gzip, deflate and br";
  throw new GatewayError("unsupported_media_type", `Only ${known} are understood as content-encoding, one at a time.`);
}

function readBytes(incoming: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (finish: () => void) => {
      incoming.off("data", onData).off("end", onEnd).off("close", onClose);
      finish();
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limitBytes) {
        incoming.pause();
        settle(() => reject(tooLarge(limitBytes)));
      } else {
        chunks.push(chunk);
      }
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const onClose = () =>
      settle(() => reject(new GatewayError("canceled", "The client left before its request was whole.")));
    incoming.on("data", onData).on("end", onEnd).on("close", onClose);
    if (incoming.destroyed) onClose();
  });
}

function tooLarge(limitBytes: number): GatewayError {
  const limit = limitBytes >= 1024 * 1024 ? `${Math.floor(limitBytes / (1024 * 1024))} MiB` : `${limitBytes} bytes`;
  return new GatewayError("body_too_large", `The body is larger than this gateway's limit of ${limit}.`);
}
