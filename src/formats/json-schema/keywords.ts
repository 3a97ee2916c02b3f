import { anyKeywords, newAnyKeywords, typeKeywords } from "./keywords/any.js";
import { arrayKeywords, oldArrayKeywords, unevaluatedItemKeywords } from "./keywords/arrays.js";
import { combiningKeywords } from "./keywords/combine.js";
import { numberKeywords } from "./keywords/numbers.js";
import { objectKeywords, unevaluatedPropertyKeywords } from "./keywords/objects.js";
import { stringKeywords } from "./keywords/strings.js";
import type { Draft, Keywords } from "./reader.js";

/** In the order in which they are looked at; what depends on the others comes last. */
const common = [...typeKeywords, ...numberKeywords, ...stringKeywords, ...anyKeywords, ...combiningKeywords];
const byDraft: Readonly<Record<Draft, Keywords>> = {
  "draft-07": [...common, ...oldArrayKeywords, ...objectKeywords],
  "2020-12": [
    ...common,
    ...newAnyKeywords,
    ...arrayKeywords,
    ...objectKeywords,
    ...unevaluatedItemKeywords,
    ...unevaluatedPropertyKeywords,
  ],
};

export function keywordsOf(draft: Draft): Keywords {
  return byDraft[draft];
}
