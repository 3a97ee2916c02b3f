import type { ModelDetails } from "../../gen/agent_v1_pb.js";
import type { Model } from "../backend.js";
import { type AiClient, answerOf } from "./ai-client.js";

export async function listModels(client: AiClient, signal: AbortSignal): Promise<Model[]> {
  const { models } = await answerOf(client.getUsableModels({}, { signal }));
  return models.map(toModel);
}

function toModel(details: ModelDetails): Model {
  const others = [details.displayModelId, ...details.aliases].filter((name) => name !== "" && name !== details.modelId);
  return {
    id: details.modelId,
    name: details.displayName || details.modelId,
    aliases: [...new Set(others)],
    canThink: details.thinkingDetails !== undefined,
  };
}
