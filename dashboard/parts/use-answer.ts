import { useContext, useEffect, useState } from "preact/hooks";
import { read } from "../api/call.js";
import { type Problem, toProblem } from "../api/problem.js";
import { LiveContext } from "./use-live.js";

export type Asked<Answer> = ReturnType<typeof useAnswer<Answer>>;

/** Asks whenever the path changes, when told to, and when a gateway that did not answer is back. Without a path nothing is asked. */
export function useAnswer<Answer>(path: string | undefined) {
  const [round, setRound] = useState(0);
  const [got, setGot] = useState<{ path: string | undefined; answer?: Answer; problem?: Problem }>({ path });
  // A new round asks the same again.
  useEffect(() => {
    if (path === undefined) return;
    const leaving = new AbortController();
    setGot((before) => (before.path === path ? before : { path }));
    read<Answer>(path, leaving.signal).then(
      (answer) => setGot({ path, answer }),
      (thrown: unknown) => {
        if (!leaving.signal.aborted) setGot((before) => ({ ...before, problem: toProblem(thrown) }));
      },
    );
    return () => leaving.abort();
  }, [path, round]);
  const current = got.path === path;
  const again = () => setRound((before) => before + 1);
  useReturn(current && got.problem !== undefined, again);
  return {
    /** The newest answer; kept while it is asked for again. */
    answer: current ? got.answer : undefined,
    problem: current ? got.problem?.message : undefined,
    status: current ? got.problem?.status : undefined,
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
