import { useContext, useEffect, useState } from "preact/hooks";
import { read } from "../api/call.js";
import { messageOf, Problem } from "../api/problem.js";
import { LiveContext } from "./use-live.js";

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

/**
 * Asks the gateway whenever the path changes, again when told to, and when a gateway that did not answer is back. Nothing is asked while
 * there is no path.
 */
export function useAnswer<Answer>(path: string | undefined): Asked<Answer> {
  const [round, setRound] = useState(0);
  const [got, setGot] = useState<{ path: string | undefined; answer?: Answer; problem?: Trouble; isLoading: boolean }>({
    path,
    isLoading: true,
  });
  // A new round asks the same again.
  useEffect(() => {
    if (path === undefined) return;
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
  const again = () => setRound((before) => before + 1);
  useReturn(current && got.problem !== undefined, again);
  return {
    answer: current ? got.answer : undefined,
    problem: current ? got.problem?.message : undefined,
    status: current ? got.problem?.status : undefined,
    isLoading: !current || got.isLoading,
    again,
  };
}

/** Calls back when the gateway is back, for one that has not got what it asked for. */
function useReturn(isMissing: boolean, onReturn: () => void): void {
  const live = useContext(LiveContext);
  useEffect(() => {
    if (!isMissing) return;
    let { connection } = live.view;
    return live.subscribe(() => {
      if (connection === "offline" && live.view.connection === "live") onReturn();
      connection = live.view.connection;
    });
  }, [live, isMissing]);
}
