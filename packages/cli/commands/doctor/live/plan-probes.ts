import type { Model } from "@curlew/gateway/backends/backend.js";
import { type CursorProfile, familyRules, NamePatterns } from "@curlew/gateway/backends/profile/index.js";
import type { Gateway } from "@curlew/gateway/core/index.js";
import { reasonOf } from "../finding.js";
import { byWord, harmless, isOwnRefusal, otherwise, type Probe, user } from "./lab.js";
import { expected, prompts } from "./probe-texts.js";
import { conversation, history, picture, systemPrompt, thinking } from "./talk-probes.js";
import {
  abandonedCall,
  cancelled,
  combinators,
  description,
  longName,
  parallelCalls,
  parkedCall,
  typedWords,
} from "./tool-probes.js";
import { http1Run, http2Run, oldChat, restart, turnEnd, unknownFields } from "./wire-probes.js";

const MODELS_TIMEOUT_MS = 20_000;

export type ProbePlan = Awaited<ReturnType<typeof planProbes>>;

/** The probes for an account, depending on the models it lists. Those that evaluate the runs of all others come last. */
export async function planProbes(gateway: Gateway, profile: CursorProfile, model: string) {
  const listed = await gateway.models(AbortSignal.timeout(MODELS_TIMEOUT_MS)).catch(() => []);
  const shaped = shapedModels(listed, profile);
  const rulesOf = familyRules(profile);
  // For these models, Curlew changes the client's schemas.
  const projected = shaped.filter(({ base }) => (rulesOf(base).schema?.refuses.length ?? 0) > 0);
  const probes: readonly Probe[] = [
    conversation,
    thinking,
    parkedCall,
    parallelCalls,
    picture,
    systemPrompt,
    cancelled,
    description,
    combinators(model),
    ...projected.map(({ slug }) => combinators(slug)),
    longName,
    typedWords,
    abandonedCall,
    restart,
    history,
    http2Run,
    http1Run,
    ...shaped.map(idShapes),
    oldChat,
    turnEnd,
    unknownFields,
  ];
  const turns = probes.reduce((sum, probe) => sum + probe.turns, 0);
  return { probes, turns, models: [model, ...shaped.map(({ base }) => base)] };
}

/** Each family costs four turns. */
const MAX_FAMILIES = 4;

type ShapedModel = NonNullable<ReturnType<typeof shapesOf>>;

/** One model for each vendor and for each family with rules of its own: the cheapest by its name. */
function shapedModels(models: readonly Model[], { vendors, families }: CursorProfile): ShapedModel[] {
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

/** A model with several equivalent names for the same variant; undefined for others. */
function shapesOf({ id, base = id, variants = [] }: Model) {
  const usual = variants.find(({ isDefault, isMax }) => isDefault && !isMax);
  if (usual?.slug === undefined || usual.slug === base || usual.parameters.length === 0) return undefined;
  const parameters = usual.parameters.map((each) => `${each.id}=${each.value}`).join(",");
  return { base, slug: usual.slug, withParameters: `${base}[${parameters}]` }; // Cursor's notation, such as `base[effort=high]`
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
    { name: "id variant", model: `${slug}[]`, shown: `${slug}, marked as a variant` },
  ];
  return {
    claims: shapes.map(({ name, model, shown = model }) => ({ name, claim: `Cursor takes the model as ${shown}` })),
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
