import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { Live, type LiveView } from "../api/live.js";
import { useChanges } from "./use-changes.js";

export const LiveContext = createContext(new Live());

/** What the gateway is doing now. The component is drawn again when that changes. */
export function useLive(): LiveView {
  const live = useContext(LiveContext);
  useChanges(live);
  return live.view;
}
