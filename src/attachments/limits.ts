/** How much of other people's content one request may make the gateway fetch and read. */
export interface AttachmentLimits {
  /** Of one image, sent along or fetched. */
  readonly imageBytes: number;
  /** Of one PDF that is fetched; one that is sent along is bounded by the body it comes in. */
  readonly pdfBytes: number;
  /** Of all that is fetched for one request. */
  readonly requestBytes: number;
  /** Addresses to fetch and PDFs to read for one request. */
  readonly perRequest: number;
  /** For one address, redirects and all. */
  readonly fetchMs: number;
  readonly redirects: number;
  /** At a time, for all requests together. */
  readonly fetches: number;
  readonly readers: number;
  /** For one PDF. */
  readonly readMs: number;
  readonly readMemoryMb: number;
  readonly textCharacters: number;
  /** What was fetched or read lately, for conversations that have to be told once more. */
  readonly recentBytes: number;
  readonly recentMs: number;
}

const MiB = 1024 * 1024;

export const defaultLimits: AttachmentLimits = {
  imageBytes: 10 * MiB,
  pdfBytes: 20 * MiB,
  requestBytes: 40 * MiB,
  perRequest: 20,
  fetchMs: 15_000,
  redirects: 3,
  fetches: 8,
  readers: 2,
  readMs: 20_000,
  readMemoryMb: 512,
  textCharacters: 2_000_000,
  recentBytes: 64 * MiB,
  recentMs: 10 * 60_000,
};
