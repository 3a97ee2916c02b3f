import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { yieldToOthers } from "../../../system/clock.js";
import { GatewayError } from "../../../turn/error.js";
import { isLongBody } from "../../../turn/slices.js";
import type { MemoryHold } from "../request-memory.js";
import type { RouteDeps } from "../route-deps.js";
import { BodyBytes } from "./body-bytes.js";
import { parseJson } from "./parse-json.js";

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflaters: Readonly<Record<string, Inflate>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  br: promisify(brotliDecompress),
  // The name means zlib's format; some senders leave out zlib's header.
  deflate: (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? inflateZlib : inflateHeadless)(bytes, options),
};
const inflateZlib: Inflate = promisify(inflate);
const inflateHeadless: Inflate = promisify(inflateRaw);

/** A body slower than this is refused: a stalled sender must not hold memory that others need. */
export const STALL_MS = 20_000;
export const STALL_BYTES = 16 * 1024;

/** Computes something else from the bytes, before they are released. */
type Look<Looked> = ((bytes: Buffer) => Looked) | undefined;

type Parse = (bytes: Buffer) => unknown;

type BodyDeps = Pick<RouteDeps, "clock" | "bodyLimitBytes" | "memory">;

/**
 * Reads the body as JSON, and inflates it if it is compressed; the limit applies before and after that. Its memory stays
 * charged to `hold`, although the bytes themselves are released.
 * @throws {GatewayError} The body is too large, too slow, compressed in an unknown way, not JSON, or the client has left.
 */
export async function readJson<Looked = undefined>(
  incoming: IncomingMessage,
  hold: MemoryHold,
  deps: BodyDeps,
  look?: Look<Looked>,
  parse: Parse = parseJson,
): Promise<{ body: unknown; looked: Looked | undefined }> {
  const { bodyLimitBytes, memory } = deps;
  const inflate = chooseInflater(incoming.headers["content-encoding"]);
  const announcedBytes = Number(incoming.headers["content-length"]);
  if (announcedBytes > bodyLimitBytes) throw tooLarge(bodyLimitBytes);
  if (announcedBytes > 0) hold.check(announcedBytes);
  const body = new BodyBytes(announcedBytes || bodyLimitBytes);
  try {
    await readBytes(incoming, body, hold, deps);
    if (inflate === undefined) {
      const { whole } = body;
      if (isLongBody(body.length)) return await parseLong(whole, look, parse);
      return { looked: look?.(whole), body: parse(whole) };
    }
    return await memory.inflating.pass(async () => {
      const inflated = await inflateBody(inflate, body.whole, bodyLimitBytes);
      hold.take(inflated.length);
      hold.release(body.length);
      return await parseLong(inflated, look, parse);
    });
  } finally {
    body.letGo();
  }
}

/** Yields to other requests before and after parsing a long body, which blocks for many milliseconds. */
async function parseLong<Looked>(bytes: Buffer, look: Look<Looked>, parse: Parse) {
  const looked = look?.(bytes);
  await yieldToOthers();
  const body = parse(bytes);
  await yieldToOthers();
  return { looked, body };
}

async function inflateBody(inflate: Inflate, bytes: Buffer, limitBytes: number): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: limitBytes });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(limitBytes);
    const text = "The body cannot be decompressed: it does not match its content-encoding.";
    throw new GatewayError("invalid_request", text, { cause });
  }
}

function chooseInflater(encoding: string | undefined): Inflate | undefined {
  const name = (encoding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return undefined;
  const found = Object.hasOwn(inflaters, name) ? inflaters[name] : undefined;
  if (found !== undefined) return found;
  const known = "gzip, deflate and br";
  throw new GatewayError("unsupported_media_type", `Only ${known} are supported as content-encoding, one at a time.`);
}

function readBytes(incoming: IncomingMessage, body: BodyBytes, hold: MemoryHold, deps: BodyDeps): Promise<void> {
  const { clock, bodyLimitBytes } = deps;
  return new Promise((resolve, reject) => {
    let stopClock = () => {};
    const settle = () => {
      stopClock();
      incoming.off("data", onData).off("end", onEnd).off("close", onClose);
    };
    /** Only pauses: the sender is still connected and must receive the error. */
    const refuse = (error: GatewayError) => {
      incoming.pause();
      settle();
      hold.release();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      if (body.length + chunk.length > bodyLimitBytes) return refuse(tooLarge(bodyLimitBytes));
      try {
        hold.take(chunk.length);
        body.push(chunk);
      } catch (thrown) {
        refuse(GatewayError.from(thrown));
      }
    };
    const onEnd = () => {
      settle();
      resolve();
    };
    const onClose = () => {
      settle();
      reject(new GatewayError("canceled", "The client left before its request was complete."));
    };
    const watchFrom = (bytesBefore: number) => {
      stopClock = clock.after(STALL_MS, () => {
        if (body.length - bytesBefore < STALL_BYTES) refuse(stalled());
        else watchFrom(body.length);
      });
    };
    watchFrom(0);
    incoming.on("data", onData).on("end", onEnd).on("close", onClose);
    if (incoming.destroyed) onClose();
  });
}

export function stalled(): GatewayError {
  return new GatewayError(
    "request_timeout",
    `The request body stalled: less than ${STALL_BYTES / 1024} KiB in ${STALL_MS / 1000} s. Send it again.`,
  );
}

function tooLarge(limitBytes: number): GatewayError {
  const limit = limitBytes >= 1024 * 1024 ? `${Math.floor(limitBytes / (1024 * 1024))} MiB` : `${limitBytes} bytes`;
  return new GatewayError("body_too_large", `The body is larger than this gateway's limit of ${limit}.`);
}

/** Refuses a body that does not declare itself as JSON. @throws {GatewayError} `unsupported_media_type`. */
export function requireJson(headers: IncomingHttpHeaders): void {
  const given = headers["content-type"];
  if (given === undefined || given.trim() === "") {
    // Any web page can make a browser send us a body without a type. Browsers add an origin, other programs do not.
    if (headers.origin === undefined) return;
    throw notJson("This request has no content type.");
  }
  const [type = "", ...parameters] = given.toLowerCase().split(";");
  const media = type.trim();
  if (!/^application\/(?:[\w.+-]+\+)?json$/.test(media)) {
    const isWellFormed = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(media);
    throw notJson(isWellFormed ? `Unsupported content type \`${media}\`.` : "Unsupported content type.");
  }
  for (const parameter of parameters) {
    const [name = "", value] = parameter.split("=", 2);
    if (name.trim() === "charset" && value !== undefined && !/^"?(?:utf-?8|us-ascii)"?$/.test(value.trim())) {
      throw notJson("Unsupported character set.");
    }
  }
}

function notJson(what: string): GatewayError {
  return new GatewayError("unsupported_media_type", `${what} Send JSON in UTF-8 with content-type: application/json.`);
}
