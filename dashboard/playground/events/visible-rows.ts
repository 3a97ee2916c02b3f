export interface Rows {
  /** The first row that is drawn, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** Drawn beyond both edges, so that nothing is missing while somebody scrolls. */
const EXTRA_ROWS = 8;

/** Which rows of a long list are to be drawn, all being equally high. */
export function visibleRows(count: number, rowPx: number, scrollTop: number, heightPx: number): Rows {
  const from = Math.floor(scrollTop / rowPx) - EXTRA_ROWS;
  const to = Math.ceil((scrollTop + heightPx) / rowPx) + EXTRA_ROWS;
  return { from: Math.max(0, Math.min(from, count)), to: Math.max(0, Math.min(to, count)) };
}
