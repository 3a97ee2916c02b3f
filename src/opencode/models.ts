import { z } from "zod";
import { type GatewayAddress, keyHeader } from "./find-gateway.js";
import type { ModelConfig } from "./plugin-api.js";

const LIST_MS = 30_000;
const OUTPUT_TOKENS = 32_000;
/** The context size of models for which Cursor reports none. */
const USUAL_CONTEXT = 200_000;
/** The variants that OpenCode gives every model that thinks, whether it has them or not. */
const usualVariants = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const ListedModel = z.looseObject({
  id: z.string(),
  name: z.string(),
  context_window: z.number().optional(),
  max_mode_context_window: z.number().optional(),
  reasoning: z.boolean().default(false),
  attachment: z.boolean().default(false),
  efforts: z.array(z.string()).default([]),
});
type ListedModel = z.infer<typeof ListedModel>;
const ModelList = z.looseObject({ data: z.array(ListedModel) });
const Refusal = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** @throws {Error} The gateway refuses; the message is its own. */
export async function discoverModels({ url, key }: GatewayAddress): Promise<Record<string, ModelConfig>> {
  const response = await fetch(`${url}/v1/models`, { headers: keyHeader(key), signal: AbortSignal.timeout(LIST_MS) });
  const body: unknown = await response.json();
  const refusal = Refusal.safeParse(body);
  if (refusal.success) throw new Error(refusal.data.error.message);
  return describeModels(ModelList.parse(body).data);
}

/** The models as OpenCode's settings want them. Max mode is a model of its own there, since its context is larger. */
export function describeModels(models: readonly ListedModel[]): Record<string, ModelConfig> {
  return Object.fromEntries(
    models.flatMap((model): [string, ModelConfig][] => {
      const { id, name, context_window = USUAL_CONTEXT, max_mode_context_window: inMaxMode } = model;
      const usual: [string, ModelConfig] = [id, describe(model, name, context_window)];
      return inMaxMode === undefined
        ? [usual]
        : [usual, [`${id}:max`, describe(model, `${name} (max mode)`, inMaxMode)]];
    }),
  );
}

function describe({ reasoning, attachment, efforts }: ListedModel, name: string, context: number): ModelConfig {
  const missing = usualVariants.filter((variant) => !efforts.includes(variant));
  return {
    name,
    tool_call: true,
    reasoning,
    attachment,
    modalities: { input: attachment ? ["text", "image", "pdf"] : ["text"], output: ["text"] },
    limit: { context, output: Math.min(OUTPUT_TOKENS, context) },
    variants: {
      ...Object.fromEntries(missing.map((variant) => [variant, { disabled: true as const }])),
      ...Object.fromEntries(efforts.map((effort) => [effort, { reasoningEffort: effort }])),
    },
  };
}
