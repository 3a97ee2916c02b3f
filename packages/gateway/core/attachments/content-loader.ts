import { createHash } from "node:crypto";
import type { Clock } from "../../system/clock.js";
import { Turnstile } from "../../system/turnstile.js";
import type { ImageBlock } from "../../turn/blocks.js";
import { detectType } from "../../turn/detect-type.js";
import { GatewayError } from "../../turn/error.js";
import { fetchAddress, type Reach } from "./fetch-address.js";
import type { AttachmentLimits } from "./limits.js";
import { readPdf } from "./read-pdf.js";

/** The fixed cost of an entry, so that the number of empty entries is bounded too. */
const ENTRY_BYTES = 256;

/** An LRU cache, bounded in bytes. Entries expire. */
export class RecentContent<Content> {
  readonly #clock: Pick<Clock, "now">;
  readonly #limits: { readonly maxBytes: number; readonly maxAgeMs: number };
  readonly #entries = new Map<string, { content: Content; bytes: number; atMs: number }>();
  #bytes = 0;

  constructor(clock: Pick<Clock, "now">, limits: { maxBytes: number; maxAgeMs: number }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get(key: string): Content | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (this.#clock.now() - entry.atMs < this.#limits.maxAgeMs) this.#entries.set(key, entry);
    else this.#bytes -= entry.bytes;
    return this.#entries.get(key)?.content;
  }

  put(key: string, content: Content, contentBytes: number): void {
    const bytes = contentBytes + 2 * key.length + ENTRY_BYTES;
    this.#bytes += bytes - (this.#entries.get(key)?.bytes ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, { content, bytes, atMs: this.#clock.now() });
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#bytes <= this.#limits.maxBytes) break;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

const kinds = {
  image: { accept: "image/*", types: /^image\//, unsupported: "unsupported_image", are: "is not an image" },
  document: { accept: "application/pdf", types: /pdf$/, unsupported: "unsupported_document", are: "is not a PDF" },
} as const;

/** Servers send these types for unknown content; then the content itself decides. */
const unknownTypes = ["", "application/octet-stream", "binary/octet-stream", "application/download"];

/** Fetches and reads attachments for all requests, a few at a time, and caches the results for some minutes. */
export class ContentLoader {
  readonly limits: AttachmentLimits;
  readonly #reach: Reach;
  readonly #images: RecentContent<ImageBlock>;
  readonly #texts: RecentContent<string>;
  readonly #fetching: Turnstile;
  readonly #reading: Turnstile;

  constructor({ reach, clock, limits }: { reach: Reach; clock: Clock; limits: AttachmentLimits }) {
    this.limits = limits;
    this.#reach = reach;
    const room = { maxBytes: limits.recentBytes / 2, maxAgeMs: limits.recentMs };
    this.#images = new RecentContent(clock, room);
    this.#texts = new RecentContent(clock, room);
    this.#fetching = new Turnstile(limits.fetches);
    this.#reading = new Turnstile(limits.readers);
  }

  /** @throws GatewayError `fetch_failed`, `unsupported_image`, `image_too_large`, or `canceled` when the client leaves */
  async image(url: string, signal: AbortSignal): Promise<ImageBlock> {
    const recent = this.#images.get(url);
    if (recent !== undefined) return recent;
    const data = await this.#fetch("image", url, this.limits.imageBytes, signal);
    const image = checkImage(data, this.limits.imageBytes, `The image ${nameAddress(url)}`);
    this.#images.put(url, image, data.length);
    return image;
  }

  /** The text of a PDF at an address. @throws GatewayError `fetch_failed`, `unsupported_document` or `canceled` */
  async document(url: string, signal: AbortSignal): Promise<string> {
    return this.#textOf(url, async () => {
      const data = await this.#fetch("document", url, this.limits.pdfBytes, signal);
      return this.#read(data, `The document ${nameAddress(url)}`, signal);
    });
  }

  /** @throws GatewayError `unsupported_document`, or `canceled` when the client leaves */
  async pdf(data: Uint8Array, name: string | undefined, signal: AbortSignal): Promise<string> {
    const key = createHash("sha256").update(data).digest("base64url");
    return this.#textOf(key, () => this.#read(data, `The document ${name?.slice(0, 80) ?? "without a name"}`, signal));
  }

  async #textOf(key: string, read: () => Promise<string>): Promise<string> {
    const recent = this.#texts.get(key);
    if (recent !== undefined) return recent;
    const text = await read();
    this.#texts.put(key, text, text.length * 2);
    return text;
  }

  async #fetch(kind: keyof typeof kinds, url: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const { accept, types, unsupported, are } = kinds[kind];
    const { fetchMs, redirects } = this.limits;
    const what = `The ${kind} ${nameAddress(url)}`;
    const checkType = (type: string) => {
      if (types.test(type) || unknownTypes.includes(type)) return;
      const called = /^[a-z0-9.+/-]{1,60}$/.test(type) ? type : "something else";
      throw new GatewayError(unsupported, `${what} ${are}: its server sent ${called}.`);
    };
    try {
      const request = { accept, maxBytes, maxMs: fetchMs, maxRedirects: redirects, checkType };
      return await this.#fetching.pass(() => fetchAddress(url, request, this.#reach, signal));
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      if (error.code !== "fetch_failed") throw error;
      const text = `${what} could not be fetched: ${error.message}. Send the ${kind} itself, as base64.`;
      throw new GatewayError("fetch_failed", text, { cause: error.cause });
    }
  }

  async #read(data: Uint8Array, what: string, signal: AbortSignal): Promise<string> {
    if (detectType(data) !== "application/pdf") throw new GatewayError("unsupported_document", `${what} is not a PDF.`);
    const outcome = await this.#reading.pass(() => readPdf(data, this.limits, signal));
    if (signal.aborted) throw new GatewayError("canceled", "The client left before the reply began.");
    if ("problem" in outcome) throw new GatewayError("unsupported_document", `${what} ${outcome.problem}.`);
    if (!outcome.isCut) return outcome.text;
    return `${outcome.text}\n[The document goes on: these are its first ${this.limits.textCharacters} characters.]`;
  }
}

/** An address for messages: only its host and a plain file name. The rest of the path may be secret, not only the query. */
function nameAddress(url: string): string {
  if (!URL.canParse(url)) return "without a valid address";
  const { host, pathname } = new URL(url);
  const file = /\/([\w.-]{1,40}\.(?:png|jpe?g|gif|webp|pdf))$/i.exec(pathname)?.[1];
  return file === undefined ? `at ${host}` : `${file} at ${host}`;
}

const MIB = 1024 * 1024;

/** The image with its real type. @throws GatewayError `unsupported_image` or `image_too_large` */
export function checkImage(data: Uint8Array, maxBytes: number, what = "An image"): ImageBlock {
  const mimeType = detectType(data);
  if (mimeType === undefined || mimeType === "application/pdf") {
    const text = `${what} is not a PNG, JPEG, GIF or WebP, the formats that models accept.`;
    throw new GatewayError("unsupported_image", text);
  }
  if (data.length > maxBytes) {
    const size = (data.length / MIB).toFixed(1);
    const most = (maxBytes / MIB).toFixed(1);
    throw new GatewayError("image_too_large", `${what} is ${size} MiB large; the limit is ${most} MiB.`);
  }
  return { type: "image", mimeType, data };
}
