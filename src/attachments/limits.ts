const MIB = 1024 * 1024;

export const defaultLimits = {
  /** Of one image, sent along or fetched. */
  imageBytes: 10 * MIB,
  /** Of one PDF that is fetched; one that is sent along is bounded by the body it comes in. */
  pdfBytes: 20 * MIB,
  /** Of all that is fetched for one request. */
  requestBytes: 40 * MIB,
  /** Addresses to fetch and PDFs to read for one request. */
  perRequest: 20,
  /** For one address, redirects and all. */
  fetchMs: 15_000,
  redirects: 3,
  /** At a time, for all requests together. */
  fetches: 8,
  readers: 2,
  /** For one PDF. */
  readMs: 20_000,
  readMemoryMb: 512,
  textCharacters: 2_000_000,
  /** What was fetched or read lately, for conversations that have to be told once more. */
  recentBytes: 64 * MIB,
  recentMs: 10 * 60_000,
};

/** How much of other people's content one request may make the gateway fetch and read. */
export type AttachmentLimits = Readonly<typeof defaultLimits>;
