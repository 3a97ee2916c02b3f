/** The span of a client that a request belongs to. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the client's span is recorded; if not, ours is not either. */
  readonly isSampled: boolean;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[ -~]{0,400})?$/;
const NOTHING = /^0+$/;

/** Reads the header `traceparent` of W3C's Trace Context; undefined for anything that it does not allow. */
export function parseTraceParent(header: string | undefined): TraceParent | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] = FORM.exec(header ?? "") ?? [];
  if (version === undefined || version === "ff") return undefined;
  // Later versions may add something; the first one has nothing more to say.
  if (version === "00" && more !== undefined) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
