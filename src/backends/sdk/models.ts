import { textField } from "../../turn/read-json.js";
import type { Model } from "../backend.js";
import { toFamily } from "../cursor/rest-models.js";

/** The SDK lists models as the documented API does. */
export function toModels(items: unknown): Model[] {
  return (Array.isArray(items) ? items : []).flatMap((item: unknown) =>
    toFamily(item).map(({ base: id, slugs: _, ...facts }) => ({
      ...facts,
      id,
      name: textField(item, "displayName") || id,
      canThink: facts.parameters.some((each) => /think|reason|effort/i.test(each.id)),
    })),
  );
}
