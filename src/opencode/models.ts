import { z } from "zod";
import { type GatewayAddress, keyHeader } from "./find-gateway.js";

const LIST_MS = 30_000;
const OUTPUT_TOKENS = 32_000;
/** The context size of models for which Cursor reports none. */
const USUAL_CONTEXT = 200_000;

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

/** A model of the account, as both versions of OpenCode need to know it. */
export interface OfferedModel {
  readonly id: string;
  readonly name: string;
  readonly reasoning: boolean;
  readonly attachment: boolean;
  /** The kinds of content that it reads. */
  readonly reads: readonly string[];
  readonly efforts: readonly string[];
  /** In tokens. */
  readonly limit: { readonly context: number; readonly output: number };
}

/** @throws {Error} The gateway refuses; the message is its own. */
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
    const { id, name, context_window = USUAL_CONTEXT, max_mode_context_window: inMaxMode } = model;
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
