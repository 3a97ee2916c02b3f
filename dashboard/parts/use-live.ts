import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { Live, type LiveView } from "../api/live.js";

export const LiveContext = createContext(new Live());

/** What the gateway is doing now. The component is drawn again when that changes. */
export function useLive(): LiveView {
  const live = useContext(LiveContext);
  const [view, setView] = useState(live.view);
  useEffect(() => {
    setView(live.view);
    return live.subscribe(() => setView(live.view));
  }, [live]);
  return view;
}
