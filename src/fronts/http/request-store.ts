import type { Account, Shelf } from "../../gateway/index.js";
import type { ReplyStore } from "../front.js";
import type { MemoryHold } from "./request-memory.js";
import type { RouteDeps } from "./route-deps.js";

interface RequestStoreDeps {
  readonly deps: Pick<RouteDeps, "gateway" | "caller">;
  readonly account: Account | undefined;
  readonly hold: MemoryHold;
  readonly connection?: Shelf;
}

/** What one request sees of the replies that are kept. */
export class RequestStore implements ReplyStore {
  readonly connection: Shelf | undefined;
  readonly #from: RequestStoreDeps;
  #lasting: Shelf | undefined;

  constructor(from: RequestStoreDeps) {
    this.#from = from;
    this.connection = from.connection;
  }

  get lasting(): Shelf {
    this.#lasting ??= this.#open();
    return this.#lasting;
  }

  /** What a request takes from there is held like what it brought itself, however often it looks there. */
  #open(): Shelf {
    const { deps, account, hold } = this.#from;
    const shelf = deps.gateway.shelf({ caller: deps.caller, account });
    const held = new Set<string>();
    return {
      get(id) {
        const text = shelf.get(id);
        if (!held.has(id)) hold.take(text?.length ?? 0);
        held.add(id);
        return text;
      },
      put: (id, text) => shelf.put(id, text),
      delete: (id) => shelf.delete(id),
    };
  }
}
