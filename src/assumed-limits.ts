/** The context size of Cursor's models if nothing is reported about it, in tokens. */
export const USUAL_CONTEXT_TOKENS = 200_000;
/** What clients may ask a model to write at most. Cursor reports nothing about it; this is what the coding agents ask for by themselves. */
export const OUTPUT_TOKENS = 32_000;
