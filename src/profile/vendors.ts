import { NamePatterns } from "./name-patterns.js";
import type { CursorProfile } from "./schema.js";

type VendorEntry = CursorProfile["vendors"][string];

/** A vendor whose names clients have built in. */
export interface Vendor extends Pick<VendorEntry, "prices" | "surcharged"> {
  /** Names that clients have, or had, built in. */
  readonly known: NamePatterns;
  /** All names that belong to the vendor, including Cursor's. */
  readonly members: NamePatterns;
}

export function readVendors({ vendors }: Pick<CursorProfile, "vendors">): Vendor[] {
  return Object.values(vendors).map(({ known, members, prices, surcharged }) => ({
    known: new NamePatterns(known),
    members: new NamePatterns(members),
    prices,
    surcharged,
  }));
}
