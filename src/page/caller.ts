import type { Caller } from "../keys/index.js";

/** Under this name the ledger, limits and lists have what the playground asks for. */
export const PLAYGROUND = "playground";

/** The caller of the playground. Its id is that of no key, so it shares no conversation with a client. */
export const playground: Caller = { id: PLAYGROUND, name: PLAYGROUND, limits: {} };
