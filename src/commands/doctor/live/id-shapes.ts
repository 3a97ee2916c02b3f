import type { Model } from "../../../backends/backend.js";
import { type CursorProfile, NamePatterns } from "../../../profile/index.js";
import { reasonOf } from "../finding.js";
import { byWord, harmless, isOwnRefusal, otherwise, type Probe, user } from "./lab.js";
import { expected, prompts } from "./probe-texts.js";

/** Each family costs three turns. */
const MAX_FAMILIES = 4;

/** A model that can be asked for in three shapes which mean the same variant. */
export interface ShapedModel {
  readonly base: string;
  readonly slug: string;
  /** `base[effort=high]`, Cursor's notation for base and parameters. */
  readonly withParameters: string;
}

/** One model for each vendor and for each family with rules of its own: the one whose name says that it is the cheapest. */
export function shapedModels(models: readonly Model[], { vendors, families }: CursorProfile): ShapedModel[] {
  const shaped = models.flatMap((model) => shapesOf(model) ?? []);
  const groups = [
    ...Object.values(vendors).map(({ members, prices }) => ({ match: members, prices })),
    ...Object.values(families).map(({ match }) => ({ match, prices: {} })),
  ];
  const chosen = groups.flatMap(({ match, prices }) => {
    const patterns = new NamePatterns(match);
    const members = shaped.filter(({ base }) => patterns.fits(base.toLowerCase()));
    return members.toSorted((a, b) => priceOf(a.base, prices) - priceOf(b.base, prices)).slice(0, 1);
  });
  return [...new Map(chosen.map((each) => [each.base, each])).values()].slice(0, MAX_FAMILIES);
}

function shapesOf({ id, base = id, variants = [] }: Model): ShapedModel | undefined {
  const usual = variants.find(({ isDefault, isMax }) => isDefault && !isMax);
  if (usual?.slug === undefined || usual.slug === base || usual.parameters.length === 0) return undefined;
  const parameters = usual.parameters.map((each) => `${each.id}=${each.value}`).join(",");
  return { base, slug: usual.slug, withParameters: `${base}[${parameters}]` };
}

function priceOf(name: string, prices: Readonly<Record<string, number>>): number {
  const words = name.toLowerCase().split("-");
  const word = Object.keys(prices).find((each) => words.includes(each));
  return prices[word ?? ""] ?? Math.max(0, ...Object.values(prices));
}

export function idShapes({ base, slug, withParameters }: ShapedModel): Probe {
  const shapes = [
    { name: "id parameters", model: withParameters },
    { name: "id slug", model: slug },
    { name: "id base", model: base },
  ];
  return {
    claims: shapes.map(({ name, model }) => ({ name, claim: `Cursor takes the model as ${model}` })),
    turns: shapes.length,
    async *run({ lab }) {
      let taken = 0;
      for (const [index, { model }] of shapes.entries()) {
        try {
          const { text } = await lab.ask({ messages: [user(prompts.word)], model: `raw/${model}` });
          taken++;
          yield byWord(text, expected.word, "It answers.", "The answer is wrong.");
        } catch (thrown) {
          if (!isOwnRefusal(thrown)) throw thrown;
          const why = `It is refused (${thrown.code}: ${reasonOf(thrown)})`;
          const isLost = taken === 0 && index === shapes.length - 1;
          yield isLost
            ? otherwise(`${why}, as in every other shape.`)
            : harmless(`${why}. Curlew tries another shape.`);
        }
      }
    },
  };
}
