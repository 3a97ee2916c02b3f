import { useEffect, useRef, useState } from "preact/hooks";
import type { ClientsAnswer } from "../../src/page/contract.js";
import { useRefresh } from "../parts/use-refresh.js";
import { newcomers } from "./client-list.js";

/**
 * Asks for the clients again when requests have ended, and tells who has been seen for the first time since the view was opened: the
 * newest last.
 */
export function useNewcomers(answer: ClientsAnswer | undefined, again: () => void): readonly string[] {
  useRefresh(async () => again());
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
