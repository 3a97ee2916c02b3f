import { useEffect, useRef, useState } from "preact/hooks";
import type { UsageAnswer } from "../../src/page/contract.js";
import { read } from "../api/call.js";
import { Problem, UNREACHABLE } from "../api/problem.js";
import { useRefresh } from "../parts/use-refresh.js";
import { type Range, ranges } from "./question.js";

/** Everything that the view shows of a range. */
export interface Usage {
  readonly range: Range;
  /** By hour for today, else by day and model. */
  readonly byTime: UsageAnswer;
  readonly byModel: UsageAnswer;
  readonly byClient: UsageAnswer;
}

interface AskedUsage {
  /** The newest there is. It may be of another range while that of this one is on its way. */
  readonly usage: Usage | undefined;
  readonly problem: string | undefined;
  readonly again: () => Promise<void>;
}

/** Asks for the usage of a range, and again whenever there is more of it or another day has begun. */
export function useUsage(range: Range, today: string): AskedUsage {
  const [usage, setUsage] = useState<Usage>();
  const [problem, setProblem] = useState<string>();
  const load = useRef(async () => {});
  useEffect(() => {
    const leaving = new AbortController();
    load.current = async () => {
      try {
        setUsage(await readUsage(range, leaving.signal));
        setProblem(undefined);
      } catch (thrown) {
        if (!leaving.signal.aborted) setProblem(thrown instanceof Problem ? thrown.message : UNREACHABLE);
      }
    };
    setProblem(undefined);
    void load.current();
    return () => leaving.abort();
  }, [range, today]);
  const again = () => load.current();
  useRefresh(again);
  return { usage, problem, again };
}

async function readUsage(range: Range, signal: AbortSignal): Promise<Usage> {
  const { days } = ranges[range];
  const ask = (by: UsageAnswer["by"]) => read<UsageAnswer>(`usage?by=${by}&days=${days}`, signal);
  const [byTime, byModel, byClient] = await Promise.all([
    ask(range === "today" ? "hour" : "day"),
    ask("model"),
    ask("client"),
  ]);
  return { range, byTime, byModel, byClient };
}
