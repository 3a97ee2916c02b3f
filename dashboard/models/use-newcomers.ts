import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { ClientsAnswer } from "../../src/page/contract.js";
import { LiveContext } from "../parts/use-live.js";
import { AtMostEvery } from "./at-most-every.js";
import { newcomers } from "./client-list.js";

const ASK_EVERY_MS = 3_000;

/**
 * Asks for the clients again when requests have ended, and tells who has been seen for the first time since the view was opened: the
 * newest last.
 */
export function useNewcomers(answer: ClientsAnswer | undefined, again: () => void): readonly string[] {
  const live = useContext(LiveContext);
  const asking = useRef(again);
  asking.current = again;
  useEffect(() => {
    const often = new AtMostEvery(ASK_EVERY_MS, () => asking.current());
    const leave = live.onEnded(() => often.ask());
    return () => {
      leave();
      often.stop();
    };
  }, [live]);

  const before = useRef(answer);
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    if (before.current !== undefined && answer !== undefined) {
      const found = newcomers(before.current, answer);
      if (found.length > 0) setNames((known) => [...known, ...found]);
    }
    before.current = answer;
  }, [answer]);
  return names;
}
