import type {
  Backend,
  BlobStorage,
  Capabilities,
  Model,
  StartContext,
} from "../../../packages/gateway/backends/backend.js";
import type { SentTurn, Turn } from "../../../packages/gateway/turn/turn.js";
import { ScriptedExchange, type ScriptStep } from "./exchange.js";

export type { ScriptStep };

export interface Script {
  /**
   * Played from the start for every exchange; a function may look at the turn first. It is read lazily, so it may be endless.
   */
  steps: Iterable<ScriptStep> | ((turn: SentTurn) => Iterable<ScriptStep>);
  can?: Partial<Capabilities>;
  models?: readonly Model[] | Error;
}

export interface ScriptedBackend extends Backend {
  /** The exchanges in the order in which they were started. */
  readonly exchanges: readonly ScriptedExchange[];
  readonly isClosed: boolean;
}

const everything: Capabilities = { tools: true, images: true };
const oneModel: readonly Model[] = [{ id: "default", name: "Auto", aliases: ["auto"], canThink: true }];

/** A backend without an upstream: it plays a script and remembers its turns. */
export function scriptedBackend({ steps, can = {}, models = oneModel }: Script): ScriptedBackend {
  const exchanges: ScriptedExchange[] = [];
  let isClosed = false;
  return {
    name: "scripted",
    can: { ...everything, ...can },
    exchanges,
    get isClosed() {
      return isClosed;
    },
    models: async () => {
      if (models instanceof Error) throw models;
      return models;
    },
    start(turn, context) {
      const exchange = new ScriptedExchange(turn, context, typeof steps === "function" ? steps(turn) : steps);
      exchanges.push(exchange);
      return exchange;
    },
    close() {
      isClosed = true;
    },
  };
}

/** A start without a checkpoint, for tests that need nothing else. */
export function startContext(rest: Partial<StartContext> = {}): StartContext {
  let calls = 0;
  return {
    requestId: "test",
    model: { id: "default", parameters: [], isMax: false },
    conversationId: "conversation",
    state: undefined,
    estimatedTokens: 1,
    callable: [],
    record: [],
    blobs: memoryBlobs(),
    newCallId: () => `call_${++calls}`,
    ...rest,
  };
}

export function memoryBlobs(): BlobStorage {
  const blobs = new Map<string, Uint8Array>();
  const key = (id: Uint8Array) => Buffer.from(id).toString("hex");
  return { get: (id) => blobs.get(key(id)), put: (id, data) => void blobs.set(key(id), data) };
}

/** A turn with one user message, for tests that need nothing else. */
export function userTurn(text: string, rest?: Omit<Partial<Turn>, "messages">): SentTurn;
export function userTurn(text: string, rest: Partial<Turn>): Turn;
export function userTurn(text: string, rest: Partial<Turn> = {}): Turn {
  return {
    model: "auto",
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    tools: [],
    toolChoice: { type: "auto" },
    parallelToolCalls: true,
    warnings: [],
    ...rest,
  };
}
