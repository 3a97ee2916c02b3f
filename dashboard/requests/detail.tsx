import { useContext, useEffect, useRef } from "preact/hooks";
import type { RequestAnswer } from "../../src/page/contract.js";
import { Chip } from "../parts/chip.js";
import { CopyButton } from "../parts/copy.js";
import { clockTime, shortDate } from "../parts/format.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { useAnswer } from "../parts/use-answer.js";
import { useClock } from "../parts/use-clock.js";
import { LiveContext } from "../parts/use-live.js";
import { FactsCard } from "./facts-card.js";
import { Figures } from "./figures.js";
import { answerOf, useRunning } from "./running.js";
import { TimelineCard } from "./timeline/timeline-card.js";
import type { Running } from "./timeline/turn-times.js";
import { TokensCard } from "./tokens-card.js";
import { Why } from "./why.js";
import { continuityText, continuityTone, dayText, isFailure, outcomeText, shortId } from "./words.js";

interface DetailProps {
  readonly id: string;
  /** The link to the list without it. */
  readonly listHref: string;
  readonly hrefOf: (id: string) => string;
}

/** One request, and the turn that it belongs to. */
export function Detail({ id, listHref, hrefOf }: DetailProps) {
  const { answer: told, problem, status, again } = useAnswer<RequestAnswer>(`requests/${encodeURIComponent(id)}`);
  const ids = told?.turn.map(({ entry }) => entry.id) ?? [id];
  const live = useContext(LiveContext);
  const requests = useRunning(ids);
  const nowMs = useClock(250, requests.length > 0) + live.view.skewMs;
  const running: Running = { ids: new Set(requests.map((each) => each.id)), nowMs };
  const own = requests.find((each) => each.id === id);
  const answer = told ?? (own && answerOf(own));
  useNews(told, requests.length, again);

  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [id]);
  return (
    <article class="requests-detail" aria-labelledby="detail-title">
      <a class="button plain small requests-detail-back" href={listHref}>
        <span aria-hidden="true">‹</span> All requests
      </a>
      <header class="requests-detail-head">
        <div>
          <h2 id="detail-title" ref={heading} tabIndex={-1}>
            {answer === undefined ? `Request ${shortId(id)}` : answer.entry.model || "No model"}
          </h2>
          {answer !== undefined && <Chips answer={answer} isRunning={own !== undefined} />}
          <p class="requests-detail-id">
            {answer !== undefined && <span>{whenText(answer.entry.atMs)}</span>}
            {answer !== undefined && <span>{answer.entry.client || "unknown client"}</span>}
            <code>{id}</code>
            <CopyButton text={id} what="the id" />
          </p>
        </div>
        <a class="button small requests-detail-close" href={listHref}>
          Close <kbd>Esc</kbd>
        </a>
      </header>
      {answer !== undefined && <Parts answer={answer} running={running} hrefOf={hrefOf} />}
      {answer === undefined && problem === undefined && (
        <div class="card">
          <Loading what="the request" lines={8} />
        </div>
      )}
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

/** Asks again when something has happened: a request of the turn has ended, or does not run any more. */
function useNews(answer: RequestAnswer | undefined, running: number, again: () => void): void {
  const live = useContext(LiveContext);
  const latest = useRef(again);
  latest.current = again;
  const turnId = answer?.entry.turnId;
  useEffect(() => {
    if (turnId === undefined) return;
    return live.onEnded(({ entries }) => {
      if (entries.some((entry) => entry.turnId === turnId)) latest.current();
    });
  }, [live, turnId]);
  const before = useRef(running);
  useEffect(() => {
    if (running < before.current) latest.current();
    before.current = running;
  }, [running]);
}

function Chips({ answer: { entry }, isRunning }: { readonly answer: RequestAnswer; readonly isRunning: boolean }) {
  const { outcome, continuity } = entry;
  return (
    <p class="requests-detail-chips">
      {isRunning && <Chip tone="accent">running</Chip>}
      {outcome !== "ok" && <Chip tone={isFailure(outcome) ? "bad" : "caution"}>{outcomeText(outcome)}</Chip>}
      {continuity !== null && <Chip tone={continuityTone(entry)}>{continuityText(entry)}</Chip>}
    </p>
  );
}

function whenText(atMs: number): string {
  return dayText(atMs, Date.now()) === "Today" ? clockTime(atMs) : `${shortDate(atMs)}${clockTime(atMs).slice(-3)}`;
}

interface PartsProps {
  readonly answer: RequestAnswer;
  readonly running: Running;
  readonly hrefOf: (id: string) => string;
}

function Parts({ answer, running, hrefOf }: PartsProps) {
  const { entry, detail, turn } = answer;
  const warnings = detail?.warnings ?? [];
  return (
    <>
      <Figures {...answer} runningMs={running.ids.has(entry.id) ? running.nowMs - entry.atMs : undefined} />
      <Why {...answer} />
      {warnings.map((warning) => (
        <p key={warning} class="requests-detail-warning">
          <strong>Warning</strong> {warning}
        </p>
      ))}
      <TimelineCard turn={turn} id={entry.id} running={running} hrefOf={hrefOf} />
      <TokensCard {...answer} />
      <FactsCard {...answer} />
    </>
  );
}
