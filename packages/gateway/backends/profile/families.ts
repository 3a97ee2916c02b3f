import { BoundedMap } from "../../turn/bounded-map.js";
import { NamePatterns } from "./name-patterns.js";
import type { CursorProfile } from "./schema.js";

type Family = CursorProfile["families"][string];

export type FamilyRules = Pick<Family, "idShapes" | "schema" | "dynamicTools">;

export type IdShape = NonNullable<Family["idShapes"]>[number];

export type Combinator = NonNullable<Family["schema"]>["refuses"][number];

/** Names of models come from clients, so the cache is bounded. */
const MAX_REMEMBERED = 256;

/** Finds the rules of a model by its id. Of several matching families, the first that has a rule wins. */
export function familyRules({ families }: Pick<CursorProfile, "families">): (modelId: string) => FamilyRules {
  const all = Object.values(families).map((family) => ({ ...family, match: new NamePatterns(family.match) }));
  const remembered = new BoundedMap<string, FamilyRules>(MAX_REMEMBERED);
  return (modelId) => {
    const known = remembered.get(modelId);
    if (known !== undefined) return known;
    const name = modelId.toLowerCase();
    const fitting = all.filter(({ match }) => match.fits(name));
    const rules: FamilyRules = {
      idShapes: fitting.find(({ idShapes }) => idShapes !== undefined)?.idShapes,
      schema: fitting.find(({ schema }) => schema !== undefined)?.schema,
      dynamicTools: fitting.find(({ dynamicTools }) => dynamicTools !== undefined)?.dynamicTools,
    };
    remembered.set(modelId, rules);
    return rules;
  };
}

type VendorEntry = CursorProfile["vendors"][string];

export interface Vendor extends Pick<VendorEntry, "prices" | "surcharged"> {
  readonly known: NamePatterns;
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
