/** The sources of each signal, kept alive for as long as the signal itself. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/** `AbortSignal.any` that keeps its sources alive: Node 20 may collect an `AbortSignal.timeout` among them, so that it never fires. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([...signals]);
  sources.set(any, signals);
  return any;
}

/** The work behind the promise continues: others may wait for it. @throws what `reason` makes when the signal aborts */
export function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  reason: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(reason());
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
