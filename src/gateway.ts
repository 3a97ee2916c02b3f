import type { Backend, BackendName, Exchange, Model } from "./backends/backend.js";
import type { Catalogue } from "./catalogue.js";
import { GatewayError } from "./turn/error.js";
import type { Batch, TurnEvents } from "./turn/event.js";
import type { Turn } from "./turn/turn.js";

/** Whether a reply went on from what upstream still had, and if not, why. */
export type Continuity = "warm" | "cold:new";

/** The facts that must be known before the first byte, and the events. */
export interface Reply {
  readonly backend: BackendName;
  /** The model that answers, as Cursor calls it to people. */
  readonly model: string;
  readonly continuity: Continuity;
  readonly warnings: readonly string[];
  readonly events: TurnEvents;
}

export interface RunContext {
  readonly requestId: string;
  /** Aborted when the client leaves; the upstream is then cancelled unless it has already ended. */
  readonly signal: AbortSignal;
}

export interface Gateway {
  /** Resolves at the first event; what fails before that is thrown, so that it can still become a status. */
  run(turn: Turn, context: RunContext): Promise<Reply>;
  models(signal: AbortSignal): Promise<readonly Model[]>;
  /** Ends every open exchange with a clean error. */
  close(): void;
}

export function createGateway({ backend, catalogue }: { backend: Backend; catalogue: Catalogue }): Gateway {
  const open = new Set<Exchange>();
  return {
    async run(turn, { requestId, signal }) {
      refuseRemoteImages(turn);
      const model = await catalogue.resolve(turn.model, signal);
      if (signal.aborted) throw leftEarly();
      const exchange = backend.start(turn, { requestId, model: model.id });
      open.add(exchange);
      const leave = () => exchange.close("client-left");
      signal.addEventListener("abort", leave, { once: true });
      const events = new PrimedEvents(exchange.events(), () => {
        open.delete(exchange);
        signal.removeEventListener("abort", leave);
      });
      await events.prime();
      return {
        backend: backend.name,
        model: model.shownAs,
        continuity: "cold:new",
        warnings: [...turn.warnings, ...unhonoured(turn, backend)],
        events,
      };
    },
    models: (signal) => catalogue.list(signal),
    close() {
      for (const exchange of open) exchange.close("shutdown");
      backend.close();
    },
  };
}

function unhonoured(turn: Turn, backend: Backend): string[] {
  return turn.tools.length > 0 && !backend.can.tools
    ? [`The ${turn.tools.length} tools of this request are not offered to the model.`]
    : [];
}

function refuseRemoteImages(turn: Turn): void {
  for (const message of turn.messages) {
    const blocks = message.role === "tool" ? message.results.flatMap((result) => result.content) : message.content;
    if (blocks.some((block) => block.type === "remote-image")) {
      throw new GatewayError("unsupported_image", "Images must come as data: URLs; Curlew does not fetch addresses.");
    }
  }
}

function leftEarly(): GatewayError {
  return new GatewayError("canceled", "The client left before the answer began.");
}

/** Events whose first batch was already waited for. */
class PrimedEvents implements TurnEvents, AsyncIterator<Batch, undefined> {
  readonly #rest: AsyncIterator<Batch>;
  readonly #onEnd: () => void;
  #first: IteratorResult<Batch, undefined> | undefined;

  constructor(events: TurnEvents, onEnd: () => void) {
    this.#rest = events[Symbol.asyncIterator]();
    this.#onEnd = onEnd;
  }

  async prime(): Promise<void> {
    this.#first = await this.#pull();
  }

  next(): Promise<IteratorResult<Batch, undefined>> {
    if (this.#first === undefined) return this.#pull();
    const first = this.#first;
    this.#first = undefined;
    return Promise.resolve(first);
  }

  [Symbol.asyncIterator](): AsyncIterator<Batch, undefined> {
    return this;
  }

  async #pull(): Promise<IteratorResult<Batch, undefined>> {
    try {
      const result = await this.#rest.next();
      if (result.done === true) this.#onEnd();
      return result;
    } catch (thrown) {
      this.#onEnd();
      throw GatewayError.from(thrown);
    }
  }
}
