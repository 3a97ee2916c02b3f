import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { JournalDetail } from "../../src/ledger/entry.js";
import type { LiveRequest, PageEntry, RequestAnswer } from "../../src/page/contract.js";
import type { Live } from "../api/live.js";
import { LiveContext } from "../parts/use-live.js";

const none: readonly LiveRequest[] = [];

/** Those of these requests that are being answered. It changes only when something about them does. */
export function useRunning(ids: readonly string[]): readonly LiveRequest[] {
  const live = useContext(LiveContext);
  const [running, setRunning] = useState(none);
  const known = useRef("");
  const wanted = ids.join("\n");
  useEffect(() => {
    const update = () => {
      const found = runningOf(live, wanted.split("\n"));
      const text = JSON.stringify(found);
      if (text === known.current) return;
      known.current = text;
      setRunning(found);
    };
    update();
    return live.subscribe(update);
  }, [live, wanted]);
  return running;
}

function runningOf({ view }: Live, ids: readonly string[]): readonly LiveRequest[] {
  return view.now?.live.requests.filter(({ id }) => ids.includes(id)) ?? none;
}

type Told = "id" | "atMs" | "client" | "dialect" | "model" | "continuity" | "round" | "turnId" | "firstByteMs";

/** What only the end of a request shows. */
const untold: Omit<PageEntry, Told> = {
  backend: null,
  thread: null,
  cacheMiss: null,
  sentAgainTokens: 0,
  context: null,
  tokens: null,
  runs: 0,
  retries: 0,
  sentBytes: 0,
  receivedBytes: 0,
  toolRounds: 0,
  toolsMs: 0,
  totalMs: null,
  outcome: "ok",
  message: null,
  abandoned: null,
};

/** What is known of a request that the ledger does not have yet, because it has not ended. */
export function answerOf(request: LiveRequest): RequestAnswer {
  const { id, startedMs, client, dialect, model, continuity, round, plannedMs, openedMs, firstByteMs } = request;
  const since = (atMs: number | null) => (atMs === null ? null : atMs - startedMs);
  const told = { id, atMs: startedMs, client, dialect, model, continuity, round, turnId: id };
  const entry = { ...untold, ...told, firstByteMs: since(firstByteMs) };
  const detail: JournalDetail = {
    id,
    stream: true,
    askedModel: model,
    bodyBytes: 0,
    replyBytes: 0,
    status: null,
    plannedMs: since(plannedMs),
    openedMs: since(openedMs),
    pauses: [],
    clientToolsMs: 0,
    clientCalls: 0,
    warnings: [],
    joined: null,
    texts: null,
  };
  return { entry, detail, turn: [{ entry, detail }], why: [], dollars: null };
}
