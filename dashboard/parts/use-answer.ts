import { useEffect, useState } from "preact/hooks";
import { read } from "../api/call.js";
import { messageOf } from "../api/problem.js";

export interface Asked<Answer> {
  /** The newest answer; kept while it is asked for again. */
  readonly answer: Answer | undefined;
  readonly problem: string | undefined;
  readonly isLoading: boolean;
  readonly again: () => void;
}

/** Asks the gateway whenever the path changes, and again when told to. */
export function useAnswer<Answer>(path: string): Asked<Answer> {
  const [round, setRound] = useState(0);
  const [got, setGot] = useState<{ path: string; answer?: Answer; problem?: string; isLoading: boolean }>({
    path,
    isLoading: true,
  });
  // A new round asks the same again.
  useEffect(() => {
    const leaving = new AbortController();
    setGot((before) => (before.path === path ? { ...before, isLoading: true } : { path, isLoading: true }));
    read<Answer>(path, leaving.signal).then(
      (answer) => setGot({ path, answer, isLoading: false }),
      (thrown: unknown) => {
        if (leaving.signal.aborted) return;
        setGot((before) => ({ ...before, problem: messageOf(thrown), isLoading: false }));
      },
    );
    return () => leaving.abort();
  }, [path, round]);
  const current = got.path === path;
  return {
    answer: current ? got.answer : undefined,
    problem: current ? got.problem : undefined,
    isLoading: !current || got.isLoading,
    again: () => setRound((before) => before + 1),
  };
}
