import type { Gateway } from "../../../gateway/index.js";
import { type CursorProfile, familyRules } from "../../../profile/index.js";
import { idShapes, shapedModels } from "./id-shapes.js";
import type { Probe } from "./lab.js";
import { conversation, picture, systemPrompt, thinking } from "./talk-probes.js";
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

export interface ProbePlan {
  readonly probes: readonly Probe[];
  readonly turns: number;
  readonly models: readonly string[];
}

/** Which probes an account gets depends on the models that it lists. The probes that look back at all others come last. */
export async function planProbes(gateway: Gateway, profile: CursorProfile, model: string): Promise<ProbePlan> {
  const listed = await gateway.models(AbortSignal.timeout(MODELS_TIMEOUT_MS)).catch(() => []);
  const shaped = shapedModels(listed, profile);
  const rulesOf = familyRules(profile);
  // Curlew sends these models other schemas than the client's.
  const projected = shaped.filter(({ base }) => (rulesOf(base).schema?.refuses.length ?? 0) > 0);
  const probes = [
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
