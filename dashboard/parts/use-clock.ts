import { useEffect, useState } from "preact/hooks";

/** The time, told every so often while `isNeeded`: a page on which nothing runs stands still. */
export function useClock(everyMs: number, isNeeded: boolean): number {
  const [nowMs, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isNeeded) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isNeeded]);
  return nowMs;
}
