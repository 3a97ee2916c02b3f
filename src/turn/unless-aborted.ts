/**
 * The value of the promise, unless the signal aborts first. The work behind the promise goes on either way, because others may
 * wait for it too.
 * @throws the error that `reason` makes when the signal aborts
 */
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
