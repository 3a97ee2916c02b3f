import { useEffect, useRef } from "preact/hooks";
import type { PlanAnswerBody } from "../../src/page/contract.js";
import { type Asked, useAnswer } from "../parts/use-answer.js";

/** The gateway asks Cursor no more often than this. */
const FRESH_MS = 5 * 60_000;

/** What is used of the plan; asked for again when turns have ended and the answer has grown old. */
export function usePlan(turns: number): Asked<PlanAnswerBody> {
  const asked = useAnswer<PlanAnswerBody>("plan");
  const askedMs = useRef(Date.now());
  useEffect(() => {
    if (Date.now() - askedMs.current < FRESH_MS) return;
    askedMs.current = Date.now();
    asked.again();
  }, [turns]);
  return asked;
}
