import type { TokenSource } from "../../auth/token.js";
import type { Backend } from "../backend.js";
import type { BackendParts, OpenBackend } from "../backend-parts.js";
import { listModels } from "../cursor/models.js";
import { signedCalls } from "../cursor/signed-calls.js";
import { type ChatCall, streamChat, unifiedChat } from "./calls.js";
import { ChatExchange, type ChatExchangeSettings } from "./exchange.js";
import { desktopIdentity } from "./headers.js";

/** The calls by the values of the setting. */
const callsBySetting = {
  auto: [unifiedChat, streamChat],
  unified: [unifiedChat],
  "stream-chat": [streamChat],
} as const satisfies Record<string, readonly ChatCall[]>;

export interface ChatSettings extends ChatExchangeSettings {
  /** Which of the calls to make. `auto` tries the newer one first, then the older one if the server lacks it. */
  readonly chatCall: keyof typeof callsBySetting;
}

type ChatParts = Pick<BackendParts<ChatSettings>, "settings" | "clients" | "network" | "clock">;

/**
 * The chat calls of Cursor's old desktop app: text in, text out. Cursor has retired them, so the owner must choose this backend
 * explicitly.
 */
export function createChatBackend(parts: ChatParts, tokens: TokenSource): Backend {
  const { settings, network, clock } = parts;
  const { backendUrl, chatCall } = settings;
  const client = parts.clients.desktop;
  const agent = network.agentFor(new URL(backendUrl), { keepAlive: true });
  const signed = signedCalls({
    backendUrl,
    userAgent: client.userAgent,
    network,
    tokens,
    headers: () => desktopIdentity(client),
  });
  const open = new Set<ChatExchange>();
  let calls: readonly ChatCall[] = callsBySetting[chatCall];
  // A call that the server lacks is not tried first again in the next turn.
  const onAnswered = (answered: ChatCall) => {
    calls = [answered, ...calls.filter((each) => each !== answered)];
  };
  const shared = { settings, tokens, client, clock, agent, onAnswered };
  return {
    name: "chat",
    can: { tools: false, images: true },
    models: (signal) => listModels({ calls: signed }, signal),
    start(turn, context) {
      const exchange = new ChatExchange(turn, context, { ...shared, calls });
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

export const open: OpenBackend<ChatSettings> = (parts) => (account) => createChatBackend(parts, account.tokens);
