import { z } from "zod";
import { OUTPUT_TOKENS, USUAL_CONTEXT_TOKENS } from "../assumed-limits.js";
import { type GatewayAddress, keyHeader } from "./plugin-gateway.js";

const LIST_MS = 30_000;

/** Written out, because whoever loads the plugin's types need not have zod. */
interface ListedModel {
  readonly id: string;
  readonly name: string;
  readonly context_window?: number | undefined;
  readonly max_mode_context_window?: number | undefined;
  readonly reasoning: boolean;
  readonly attachment: boolean;
  readonly efforts: readonly string[];
}

const ModelList = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      context_window: z.number().optional(),
      max_mode_context_window: z.number().optional(),
      reasoning: z.boolean().default(false),
      attachment: z.boolean().default(false),
      efforts: z.array(z.string()).default([]),
    }),
  ),
});
const Refusal = z.looseObject({ error: z.looseObject({ message: z.string() }) });

export interface OfferedModel {
  readonly id: string;
  readonly name: string;
  readonly reasoning: boolean;
  readonly attachment: boolean;
  readonly reads: readonly string[];
  readonly efforts: readonly string[];
  /** In tokens. */
  readonly limit: { readonly context: number; readonly output: number };
}

export async function discoverModels({ url, key }: GatewayAddress): Promise<OfferedModel[]> {
  const response = await fetch(`${url}/v1/models`, { headers: keyHeader(key), signal: AbortSignal.timeout(LIST_MS) });
  const body: unknown = await response.json();
  const refusal = Refusal.safeParse(body);
  if (refusal.success) throw new Error(refusal.data.error.message);
  return offeredModels(ModelList.parse(body).data);
}

/** Max mode is a model of its own for OpenCode, since its context is larger. */
export function offeredModels(models: readonly ListedModel[]): OfferedModel[] {
  return models.flatMap((model) => {
    const { id, name, context_window = USUAL_CONTEXT_TOKENS, max_mode_context_window: inMaxMode } = model;
    const usual = offered(model, id, name, context_window);
    return inMaxMode === undefined ? [usual] : [usual, offered(model, `${id}:max`, `${name} (max mode)`, inMaxMode)];
  });
}

function offered(model: ListedModel, id: string, name: string, context: number): OfferedModel {
  const { reasoning, attachment, efforts } = model;
  return {
    id,
    name,
    reasoning,
    attachment,
    reads: attachment ? ["text", "image", "pdf"] : ["text"],
    efforts,
    limit: { context, output: Math.min(OUTPUT_TOKENS, context) },
  };
}
