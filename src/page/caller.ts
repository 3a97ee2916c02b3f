import type { Caller } from "../keys/index.js";

/** Under this name the ledger, limits and lists have what the playground asks for. */
export const PLAYGROUND = "playground";

/**
 * Who asks when the playground does. The id is that of no key, so that nothing of its conversations is found by a client, nor the other
 * way round.
 */
export const playground: Caller = { id: PLAYGROUND, name: PLAYGROUND, limits: {} };
