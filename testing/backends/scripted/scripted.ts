import type { Backend, Capabilities, Model } from "../../../src/backends/backend.js";
import type { SentTurn } from "../../../src/turn/turn.js";
import { ScriptedExchange, type ScriptStep } from "./exchange.js";

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
