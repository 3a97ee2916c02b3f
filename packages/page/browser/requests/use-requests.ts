import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { PageEntry, RequestsAnswer } from "../../access/contract.js";
import { messageOf, read } from "../api/call.js";
import { LiveContext } from "../parts/use-live.js";
import { isListed, listPath, type RequestFilter } from "./filter.js";
import { isFull, listOf, MAX_ROWS, type RequestList, withEnded, withHeld, withOlder } from "./request-list.js";

const PAGE_ROWS = 100;
/** With few matches, this many pages are loaded before the user has to ask for more. */
const MAX_STEPS = 5;

interface Asking {
  readonly list: RequestList | undefined;
  readonly problem: string | undefined;
  readonly loading: "newest" | "older" | undefined;
}

export type Requests = ReturnType<typeof useRequests>;

interface Watched {
  /** Whether new rows may push the others down now. */
  readonly mayMove: () => boolean;
  /** Called before older rows are added, which may displace new ones. */
  readonly beforeOlder: () => void;
}

/** The matching requests, extended live by ended ones, and by older ones on request. */
export function useRequests(filter: RequestFilter, { mayMove, beforeOlder }: Watched) {
  const [asking, setAsking] = useState<Asking>({ list: undefined, problem: undefined, loading: "newest" });
  const [round, setRound] = useState(0);
  const again = () => setRound((before) => before + 1);
  const current = useRef({ asking, filter, mayMove });
  current.current = { asking, filter, mayMove };

  const ask = (loading: "newest" | "older", signal: AbortSignal, before?: string) => {
    setAsking((known) => ({ ...known, loading }));
    find(filter, before, signal).then(
      (answer) => {
        if (loading === "older") beforeOlder();
        setAsking(({ list }) => ({
          list: loading === "older" && list !== undefined ? withOlder(list, answer) : listOf(answer),
          problem: undefined,
          loading: undefined,
        }));
      },
      (thrown: unknown) => {
        if (signal.aborted) return;
        setAsking((known) => ({ ...known, problem: messageOf(thrown), loading: undefined }));
      },
    );
  };

  // A new round reloads the same path.
  const path = listPath(filter, PAGE_ROWS);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    ask("newest", leaving.current.signal);
    return () => leaving.current.abort();
  }, [path, round]);

  const take: TakeEnded = (entries, skipped) => {
    const { asking, filter, mayMove } = current.current;
    if (asking.loading !== undefined || asking.list === undefined) return false;
    const fitting = entries.filter((entry) => isListed(entry, filter));
    if (fitting.length === 0 && skipped === 0) return true;
    const list = withEnded(asking.list, fitting, skipped, mayMove());
    setAsking({ ...asking, list });
    if (list.held.length === 0 && isFull(list)) again();
    return true;
  };
  const onGap = () => {
    if (mayMove()) again();
    else setAsking((known) => ({ ...known, list: known.list && { ...known.list, isCut: true } }));
  };
  useEnded(take, onGap);

  const { list } = asking;
  return {
    ...asking,
    again,
    showOlder() {
      if (list?.before != null) ask("older", leaving.current.signal, list.before);
    },
    showNew() {
      const shown = list && withHeld(list);
      if (shown === undefined) again();
      else setAsking({ ...asking, list: shown });
      scrollTo(0, 0);
    },
  };
}

async function find(filter: RequestFilter, from: string | undefined, signal: AbortSignal): Promise<RequestsAnswer> {
  let entries: readonly PageEntry[] = [];
  let before = from;
  for (let step = 1; ; step++) {
    const answer = await read<RequestsAnswer>(listPath(filter, PAGE_ROWS - entries.length, before), signal);
    entries = [...entries, ...answer.entries];
    const isEnough = entries.length >= PAGE_ROWS / 2 || step === MAX_STEPS;
    if (answer.before === null || isEnough) return { entries, before: answer.before };
    before = answer.before;
  }
}

type TakeEnded = (entries: readonly PageEntry[], skipped: number) => boolean;

/** Offers ended requests once per frame until `take` accepts them. Calls `onGap` when some may have been missed. */
function useEnded(take: TakeEnded, onGap: () => void): void {
  const live = useContext(LiveContext);
  const latest = useRef({ take, onGap });
  latest.current = { take, onGap };
  useEffect(() => {
    let waiting: readonly PageEntry[] = [];
    let skipped = 0;
    let frame = 0;
    const flush = () => {
      frame = 0;
      if (waiting.length + skipped === 0) return;
      if (latest.current.take(waiting, skipped)) {
        waiting = [];
        skipped = 0;
      } else frame = requestAnimationFrame(flush);
    };
    const leave = live.onEnded((ended) => {
      const all = [...ended.entries, ...waiting];
      waiting = all.slice(0, MAX_ROWS); // bounded, because hidden pages get events but no frames
      skipped += ended.skipped + all.length - waiting.length;
      if (frame === 0) frame = requestAnimationFrame(flush);
    });
    // Every new connection brings a new `gateway` object.
    let known = live.view.now?.gateway;
    const unsubscribe = live.subscribe(() => {
      const gateway = live.view.now?.gateway;
      if (gateway !== known) latest.current.onGap();
      known = gateway;
    });
    return () => {
      cancelAnimationFrame(frame);
      leave();
      unsubscribe();
    };
  }, [live]);
}
