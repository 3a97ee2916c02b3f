import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Listeners } from "../api/listeners.js";
import { type EndedListener, Live, type LiveView } from "../api/live.js";

export const LiveContext = createContext(new Live());

/** What the gateway is doing now. The component is drawn again when that changes. */
export function useLive(): LiveView {
  const live = useContext(LiveContext);
  useChanges(live);
  return live.view;
}

/** Tells the component as it was drawn last of requests that have ended. */
export function useEnded(listener: EndedListener): void {
  const live = useContext(LiveContext);
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => live.onEnded((ended) => latest.current(ended)), [live]);
}

/** Draws the component again whenever the source has changed, at most once in `everyMs`. */
export function useChanges(source: Listeners, everyMs = 0): void {
  const [, setRound] = useState(0);
  useEffect(() => {
    let timer = 0;
    const draw = () => {
      timer = 0;
      setRound((before) => before + 1);
    };
    const onChange = () => {
      if (everyMs === 0) draw();
      else if (timer === 0) timer = window.setTimeout(draw, everyMs);
    };
    // It may have changed before this effect ran.
    draw();
    const end = source.subscribe(onChange);
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [source, everyMs]);
}

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
