/** Time as the agent sees it, handed in so that tests can hold it still. */
export interface Clock {
  now(): number;
  /** Calls back once; the returned function calls it off. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
