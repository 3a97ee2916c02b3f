import { useContext, useEffect, useRef } from "preact/hooks";
import { Refresher } from "./refresher.js";
import { LiveContext } from "./use-live.js";

const REST_MS = 3_000;

/** Asks again when requests have ended, when there was no connection that could tell, and when somebody comes back to the page. */
export function useRefresh(ask: () => Promise<void>): void {
  const live = useContext(LiveContext);
  const newest = useRef(ask);
  newest.current = ask;
  useEffect(() => {
    const refresher = new Refresher(REST_MS, () => newest.current());
    const look = () => refresher.noteLook(!document.hidden);
    let { connection } = live.view;
    const leave = [
      live.onEnded(() => refresher.noteChange()),
      live.subscribe(() => {
        if (connection !== "live" && live.view.connection === "live") refresher.noteChange();
        connection = live.view.connection;
      }),
      () => document.removeEventListener("visibilitychange", look),
      () => refresher.stop(),
    ];
    document.addEventListener("visibilitychange", look);
    look();
    return () => {
      for (const end of leave) end();
    };
  }, [live]);
}
