/** What each signal depends on, for as long as somebody holds the signal itself. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * `AbortSignal.any` that never forgets a time limit: Node 20 holds the sources of such a signal weakly, so that an
 * `AbortSignal.timeout` among them may be collected, and what waits for it waits for ever.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([...signals]);
  sources.set(any, signals);
  return any;
}
