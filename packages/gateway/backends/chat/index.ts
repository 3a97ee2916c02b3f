import type { TokenSource } from "../../account/token.js";
import type { Backend } from "../backend.js";
import type { BackendParts, OpenBackend } from "../backend-parts.js";
import { listModels } from "../cursor/models.js";
import { signedCalls } from "../cursor/signed-calls.js";
import { type ChatCall, streamChat, unifiedChat } from "./calls.js";
import { ChatExchange, type ChatExchangeSettings } from "./exchange.js";
import { desktopIdentity } from "./headers.js";

type ChatParts = Pick<BackendParts<ChatExchangeSettings>, "settings" | "clients" | "network" | "clock">;

/** The chat calls of Cursor's old desktop app, which Cursor has retired: the newer one, then the older if that is missing. */
export function createChatBackend(
  parts: ChatParts,
  tokens: TokenSource,
  calls: readonly ChatCall[] = [unifiedChat, streamChat],
): Backend {
  const { settings, network, clock } = parts;
  const { backendUrl } = settings;
  const client = parts.clients.desktop;
  const agent = network.agentFor(new URL(backendUrl), { keepAlive: true });
  const signed = signedCalls({ backendUrl, client, network, tokens, headers: () => desktopIdentity(client) });
  const open = new Set<ChatExchange>();
  let inOrder = calls;
  // A call that the server lacks is not tried first again in the next turn.
  const onAnswered = (answered: ChatCall) => {
    inOrder = [answered, ...calls.filter((each) => each !== answered)];
  };
  const shared = { settings, tokens, client, clock, agent, onAnswered };
  return {
    name: "chat",
    can: { tools: false, images: "links" },
    models: (signal) => listModels({ calls: signed }, signal),
    start(turn, context) {
      const exchange = new ChatExchange(turn, context, { ...shared, calls: inOrder });
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

export const open: OpenBackend<ChatExchangeSettings> = (parts) => (account) => createChatBackend(parts, account.tokens);
