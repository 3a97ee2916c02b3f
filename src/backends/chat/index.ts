import type { Network } from "../../network/index.js";
import { createAiClient } from "../agent/ai-client.js";
import { listModels } from "../agent/models.js";
import type { Backend } from "../backend.js";
import { ChatExchange, type ChatExchangeDeps } from "./exchange.js";

export interface ChatBackendDeps extends ChatExchangeDeps {
  readonly network: Network;
}

/** The chat calls of Cursor's old desktop app: text in, text out. Cursor has retired them; nobody gets here unasked. */
export function createChatBackend(deps: ChatBackendDeps): Backend {
  const { backendUrl, tokens, network } = deps;
  const agent = network.agentFor(new URL(backendUrl), { keepAlive: true });
  const client = createAiClient(backendUrl, { tokens, headers: () => ({}), network });
  const open = new Set<ChatExchange>();
  return {
    name: "chat",
    can: { tools: false, images: true, thinking: true, parking: false, systemPrompt: true },
    models: (signal) => listModels({ client }, signal),
    start(turn, context) {
      const exchange = new ChatExchange(turn, context, { ...deps, agent });
      open.add(exchange);
      exchange.onOver(() => open.delete(exchange));
      return exchange;
    },
    close() {
      for (const exchange of open) exchange.close("shutdown");
      agent.destroy();
    },
  };
}
