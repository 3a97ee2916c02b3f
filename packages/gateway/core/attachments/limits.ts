const MIB = 1024 * 1024;

export const defaultLimits = {
  /** The size of one image, attached or fetched. */
  imageBytes: 10 * MIB,
  /** The size of one fetched PDF. An attached one is bounded by the limit of the request body. */
  pdfBytes: 20 * MIB,
  requestBytes: 40 * MIB,
  /** Addresses to fetch and PDFs to read for one request. */
  perRequest: 20,
  /** The time for one address, redirects included. */
  fetchMs: 15_000,
  redirects: 3,
  /** Concurrent fetches, over all requests. */
  fetches: 8,
  readers: 2,
  readMs: 20_000,
  readMemoryMb: 512,
  textCharacters: 2_000_000,
  /** The cache of recent content: clients resend their conversation with every request. */
  recentBytes: 64 * MIB,
  recentMs: 10 * 60_000,
};

/** Limits on the content that one request may make the gateway fetch and read. */
export type AttachmentLimits = Readonly<typeof defaultLimits>;
