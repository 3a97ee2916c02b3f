import type { Network } from "../../network/index.js";
import type { Backend } from "../backend.js";
import type { OpenBackend } from "../backend-parts.js";
import { listModels } from "../cursor/models.js";
import { signedCalls } from "../cursor/signed-calls.js";
import { type ChatCall, streamChat, unifiedChat } from "./calls.js";
import { ChatExchange, type ChatExchangeDeps } from "./exchange.js";
import { desktopIdentity } from "./headers.js";

/** By the names that the setting knows. */
const callsBySetting = {
  auto: [unifiedChat, streamChat],
  unified: [unifiedChat],
  "stream-chat": [streamChat],
} as const satisfies Record<string, readonly ChatCall[]>;

export interface ChatBackendDeps extends ChatExchangeDeps {
  readonly network: Network;
  /** Which of the calls to make; by default the newer one, and the older where the server lacks that. */
  readonly call?: keyof typeof callsBySetting;
}

/** The chat calls of Cursor's old desktop app: text in, text out. Cursor has retired them; nobody gets here unasked. */
export function createChatBackend(deps: ChatBackendDeps): Backend {
  const { backendUrl, tokens, network, clientVersion, call = "auto" } = deps;
  const agent = network.agentFor(new URL(backendUrl), { keepAlive: true });
  const signed = signedCalls({ backendUrl, network, tokens, headers: () => desktopIdentity(clientVersion) });
  const open = new Set<ChatExchange>();
  let calls: readonly ChatCall[] = callsBySetting[call];
  // A call that the server lacks is not tried first with every turn.
  const onAnswered = (answered: ChatCall) => {
    calls = [answered, ...calls.filter((each) => each !== answered)];
  };
  return {
    name: "chat",
    can: { tools: false, images: true },
    models: (signal) => listModels({ calls: signed }, signal),
    start(turn, context) {
      const exchange = new ChatExchange(turn, context, { ...deps, agent, calls, onAnswered });
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

interface ChatSettings {
  readonly backendUrl: string;
  readonly checksum: string | undefined;
  readonly silenceMs: number;
  readonly chatCall: NonNullable<ChatBackendDeps["call"]>;
}

export const open: OpenBackend<ChatSettings> = ({ settings, clientVersions, network, clock }) => {
  const { backendUrl, checksum, silenceMs, chatCall: call } = settings;
  const clientVersion = clientVersions.desktop;
  return ({ tokens }) =>
    createChatBackend({ tokens, backendUrl, call, checksum, clientVersion, silenceMs, clock, network });
};
