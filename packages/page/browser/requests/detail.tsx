import { clockTime, shortDate, shortId } from "@curlew/gateway/system/format.js";
import { continuityText, isFailure, type JournalDetail } from "@curlew/meter/ledger/entry.js";
import { useEffect, useRef } from "preact/hooks";
import type { LiveRequest, PageEntry, RequestAnswer } from "../../access/contract.js";
import { Card, Chip, Empty, Failed, LoadingCard } from "../parts/card.js";
import { CopyButton } from "../parts/copy.js";
import { useAnswer, useClock, useEnded, useLive } from "../parts/use-live.js";
import { FactsCard, Figures, TokensCard } from "./figures.js";
import { TimelineCard } from "./timeline/timeline-card.js";
import { continuityTone, dayText, outcomeText } from "./words.js";

interface DetailProps {
  readonly id: string;
  readonly listHref: string;
  readonly hrefOf: (id: string) => string;
}

export function Detail({ id, listHref, hrefOf }: DetailProps) {
  const { now, skewMs } = useLive();
  const own = now?.live.requests.find((each) => each.id === id);
  // The ledger has only ended requests.
  const path = own === undefined ? `requests/${encodeURIComponent(id)}` : undefined;
  const { answer: told, problem, status, again } = useAnswer<RequestAnswer>(path);
  const nowMs = useClock(250, own !== undefined) + skewMs;
  const runsAtMs = own && nowMs;
  const answer = own === undefined ? told : answerOf(own);
  useEnded(({ entries }) => {
    if (entries.some(({ turnId }) => turnId === told?.entry.turnId)) again();
  });

  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [id]);
  return (
    <article class="requests-detail column gap-4 narrows" aria-labelledby="detail-title">
      <a class="button plain small requests-detail-back" href={listHref}>
        <span aria-hidden="true">‹</span> All requests
      </a>
      <header class="requests-detail-head flex between gap-4">
        <div class="narrows">
          <h2 class="no-ring any-break" id="detail-title" ref={heading} tabIndex={-1}>
            {answer === undefined ? `Request ${shortId(id)}` : answer.entry.model || "No model"}
          </h2>
          {answer !== undefined && <Chips answer={answer} isRunning={own !== undefined} />}
          <p class="row wrap gap-3 small soft">
            {answer !== undefined && <span>{whenText(answer.entry.atMs)}</span>}
            {answer !== undefined && <span>{answer.entry.client || "unknown client"}</span>}
            <code class="pale any-break">{id}</code>
            <CopyButton text={id} what="the id" />
          </p>
        </div>
        <a class="button small requests-detail-close fixed-size" href={listHref}>
          Close <kbd>Esc</kbd>
        </a>
      </header>
      {answer !== undefined && (
        <>
          <Figures {...answer} runsAtMs={runsAtMs} />
          <Why {...answer} />
          {answer.detail?.warnings.map((warning) => (
            <p key={warning} class="note caution">
              <strong>Warning</strong> {warning}
            </p>
          ))}
          <TimelineCard {...answer} runsAtMs={runsAtMs} hrefOf={hrefOf} />
          <TokensCard {...answer} />
          <FactsCard {...answer} />
        </>
      )}
      {answer === undefined && problem === undefined && <LoadingCard what="the request" lines={8} />}
      {answer === undefined && problem !== undefined && (
        <div class="card">
          {status === 404 ? (
            <Empty title={problem}>
              <a href={listHref}>Show the list of requests</a>
            </Empty>
          ) : (
            <Failed problem={problem} again={again} />
          )}
        </div>
      )}
    </article>
  );
}

function Chips({ answer: { entry }, isRunning }: { readonly answer: RequestAnswer; readonly isRunning: boolean }) {
  const { outcome } = entry;
  const state = continuityText(entry);
  return (
    <p class="inline-row wrap gap-6px" style={{ verticalAlign: "3px" }}>
      {isRunning && <Chip tone="accent">running</Chip>}
      {outcome !== "ok" && <Chip tone={isFailure(outcome) ? "bad" : "caution"}>{outcomeText(outcome)}</Chip>}
      {state !== "" && <Chip tone={continuityTone(entry)}>{state}</Chip>}
    </p>
  );
}

function whenText(atMs: number): string {
  return dayText(atMs, Date.now()) === "Today" ? clockTime(atMs) : `${shortDate(atMs)}${clockTime(atMs).slice(-3)}`;
}

/** Explains the cost and time of a request, most important first, with advice. */
function Why({ entry: { outcome, message }, why }: Pick<RequestAnswer, "entry" | "why">) {
  const isBad = isFailure(outcome);
  const isSaid = message === null || why.some(({ what }) => what.includes(message));
  if (why.length === 0 && isSaid) return null;
  return (
    <Card title={isBad ? "What happened, and why" : "What it cost, and why"} class={isBad ? "requests-why-bad" : ""}>
      {!isSaid && <p class="requests-why-paragraph ink any-break">{message}</p>}
      {why.map(({ topic, what, advice }) => (
        <div key={`${topic} ${what}`} class="requests-why-paragraph ink any-break">
          <p>{what}</p>
          {advice !== null && (
            <p class="requests-why-advice note accent above-2">
              <strong>What to do</strong> <span class="ink">{advice}</span>
            </p>
          )}
        </div>
      ))}
    </Card>
  );
}

/** Fields that are known only when a request has ended. */
const untold = {
  backend: null,
  thread: null,
  cacheMiss: null,
  sentAgainTokens: 0,
  context: null,
  tokens: null,
  turnRuns: 0,
  isNamedKey: false,
  bringsWords: true,
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
  const { id, startedMs, client, dialect, model, continuity, side, round, plannedMs, openedMs, firstByteMs } = request;
  const since = (atMs: number | null) => (atMs === null ? null : atMs - startedMs);
  const turn = { round, turnId: id, turnStartedMs: startedMs };
  const told = { id, atMs: startedMs, client, dialect, model, continuity, side, ...turn };
  const entry: PageEntry = { ...untold, ...told, firstByteMs: since(firstByteMs) };
  const detail: JournalDetail = {
    id,
    stream: true,
    userAgent: "",
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
