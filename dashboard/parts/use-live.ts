import { createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { type EndedListener, Live, type LiveView } from "../api/live.js";
import { useChanges } from "./use-changes.js";

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
