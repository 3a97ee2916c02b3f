import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { JournalDetail } from "../../src/ledger/entry.js";
import type { LiveRequest, PageEntry, RequestAnswer } from "../../src/page/contract.js";
import type { Live } from "../api/live.js";
import { LiveContext } from "../parts/use-live.js";

/** The request with this id while it is being answered. The component is drawn again only when something about it changes. */
export function useRunning(id: string): LiveRequest | undefined {
  const live = useContext(LiveContext);
  const [, setChanges] = useState(0);
  const running = runningIn(live, id);
  const known = useRef("");
  known.current = JSON.stringify(running) ?? "";
  useEffect(
    () =>
      live.subscribe(() => {
        if ((JSON.stringify(runningIn(live, id)) ?? "") !== known.current) setChanges((before) => before + 1);
      }),
    [live, id],
  );
  return running;
}

function runningIn({ view }: Live, id: string): LiveRequest | undefined {
  return view.now?.live.requests.find((each) => each.id === id);
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
