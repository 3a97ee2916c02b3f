import type { Clock } from "../../../clock.js";

/** The promise's outcome, or the failure that it took too long. */
export function withinTime<Value>(
  promise: Promise<Value>,
  ms: number,
  clock: Clock,
  late: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => reject(late()));
    promise.then(resolve, reject).finally(stop);
  });
}
