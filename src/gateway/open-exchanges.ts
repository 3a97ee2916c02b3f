import type { Exchange } from "../backends/backend.js";

/** The exchanges that are under way. Once closed, it also closes what comes late: a run may be on its way at that moment. */
export class OpenExchanges {
  readonly #exchanges = new Set<Exchange>();
  #isClosed = false;

  add(exchange: Exchange): void {
    this.#exchanges.add(exchange);
    if (this.#isClosed) exchange.close("shutdown");
  }

  delete(exchange: Exchange): void {
    this.#exchanges.delete(exchange);
  }

  close(): void {
    this.#isClosed = true;
    for (const exchange of this.#exchanges) exchange.close("shutdown");
  }
}
