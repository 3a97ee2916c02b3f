import { useEffect, useState } from "preact/hooks";
import { read } from "../api/call.js";
import { messageOf, Problem } from "../api/problem.js";

export interface Asked<Answer> {
  /** The newest answer; kept while it is asked for again. */
  readonly answer: Answer | undefined;
  readonly problem: string | undefined;
  /** The status of the answer that was a problem; 0 if there was none. */
  readonly status: number | undefined;
  readonly isLoading: boolean;
  readonly again: () => void;
}

interface Trouble {
  readonly message: string;
  readonly status: number;
}

/** Asks the gateway whenever the path changes, and again when told to. */
export function useAnswer<Answer>(path: string): Asked<Answer> {
  const [round, setRound] = useState(0);
  const [got, setGot] = useState<{ path: string; answer?: Answer; problem?: Trouble; isLoading: boolean }>({
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
        const problem = { message: messageOf(thrown), status: thrown instanceof Problem ? thrown.status : 0 };
        setGot((before) => ({ ...before, problem, isLoading: false }));
      },
    );
    return () => leaving.abort();
  }, [path, round]);
  const current = got.path === path;
  return {
    answer: current ? got.answer : undefined,
    problem: current ? got.problem?.message : undefined,
    status: current ? got.problem?.status : undefined,
    isLoading: !current || got.isLoading,
    again: () => setRound((before) => before + 1),
  };
}
