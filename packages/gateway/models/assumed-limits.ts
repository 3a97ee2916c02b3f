/** The context size of Cursor's models if nothing is reported about it, in tokens. */
export const USUAL_CONTEXT_TOKENS = 200_000;
/** The most that a client may ask a model to write. Cursor does not report it; coding agents ask for this by default. */
export const OUTPUT_TOKENS = 32_000;
