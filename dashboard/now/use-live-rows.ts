import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { NowAnswer } from "../../src/page/contract.js";
import { useClock } from "../parts/use-clock.js";
import { LiveContext } from "../parts/use-live.js";
import { type LiveRow, nextRows } from "./live-rows.js";

interface LiveRowsNeeds {
  readonly now: NowAnswer;
  readonly skewMs: number;
  /** False while the gateway does not answer: then nothing is known of the time since. */
  readonly isConnected: boolean;
  /** Whether somebody is about to use the list. */
  readonly isHeld: boolean;
}

/** The lines of the list of requests, and the gateway's time, which runs only while there is something to time. */
export function useLiveRows({ now, skewMs, isConnected, isHeld }: LiveRowsNeeds) {
  const live = useContext(LiveContext);
  const { requests, moreRequests, waiting } = now.live;
  const [rows, setRows] = useState<readonly LiveRow[]>([]);
  const hasOpen = rows.length + requests.length + waiting.length > 0;
  const nowMs = Math.max(useClock(1_000, isConnected && hasOpen) + skewMs, now.nowMs);
  const state = { requests, moreRequests, nowMs, isHeld };
  const newest = useRef(state);
  newest.current = state;
  useEffect(
    () => live.onEnded(({ entries }) => setRows((before) => nextRows(before, { ...newest.current, ended: entries }))),
    [live],
  );
  useEffect(() => {
    setRows((before) => nextRows(before, { ...newest.current, ended: [] }));
  }, [requests, nowMs, isHeld]);
  return { rows, nowMs };
}
