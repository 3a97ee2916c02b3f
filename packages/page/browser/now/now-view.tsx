import "./now.css";
import { shortDate, some } from "@curlew/gateway/system/format.js";
import { useContext, useEffect, useRef } from "preact/hooks";
import type { NowAnswer, PlanAnswerBody } from "../../access/contract.js";
import { Card, Dot, FailedCard, LoadingCard, type Tone } from "../parts/card.js";
import { Command } from "../parts/copy.js";
import { Icon } from "../parts/icons.js";
import { type Asked, LiveContext, useAnswer, useLive } from "../parts/use-live.js";
import { type Check, checksOf, type Verdict, verdictOf } from "./checks.js";
import { PlanCard } from "./plan-card.js";
import { RunningCard } from "./running-card.js";
import { TodayCard } from "./today-card.js";

export function NowView() {
  const { connection, now, skewMs, problem } = useLive();
  const plan = usePlan(now?.today.turns ?? 0);
  if (now === undefined) return <Unknown problem={connection === "offline" ? (problem ?? "") : undefined} />;
  const checks = checksOf(now.health);
  const verdict = verdictOf({
    connection,
    checks,
    troubles: now.health.troubles,
    hasAnswered: now.health.backends.some(({ lastSuccess }) => lastSuccess !== null),
  });
  return (
    <>
      <Headline verdict={verdict} summary={summaryOf(now)} />
      <TodayCard today={now.today} />
      <div class="columns now-columns">
        <RunningCard now={now} skewMs={skewMs} isConnected={connection === "live"} />
        <PlanCard asked={plan} nowMs={now.nowMs} />
      </div>
      <HealthCard checks={checks} since={`Up since ${shortDate(now.gateway.startedMs)}`} />
    </>
  );
}

function summaryOf({ live: { requests, moreRequests, waiting, moreWaiting } }: NowAnswer): string {
  const open = requests.length + moreRequests;
  const paused = waiting.length + moreWaiting;
  const answering = open === 0 ? "No requests right now" : `${some(open, "request")} in progress`;
  return paused === 0 ? `${answering}.` : `${answering}, ${some(paused, "run")} waiting for tools.`;
}

function Unknown({ problem }: { readonly problem: string | undefined }) {
  const live = useContext(LiveContext);
  return (
    <>
      <header class="view-head now-head flex gap-4">
        <h1 tabIndex={-1}>Now</h1>
      </header>
      {problem !== undefined ? (
        <FailedCard problem={problem} again={() => live.reconnect()} />
      ) : (
        <>
          <LoadingCard title="Today" lines={5} what="today's figures" />
          <div class="columns now-columns">
            <LoadingCard title="Running now" lines={6} what="running requests" />
            <LoadingCard title="Plan" lines={6} what="the plan" />
          </div>
        </>
      )}
    </>
  );
}

/** The gateway asks Cursor at most this often. */
const FRESH_MS = 5 * 60_000;

/** Plan usage, reloaded when turns have ended and the last answer is stale. */
function usePlan(turns: number): Asked<PlanAnswerBody> {
  const asked = useAnswer<PlanAnswerBody>("plan");
  const askedMs = useRef(Date.now());
  useEffect(() => {
    if (Date.now() - askedMs.current < FRESH_MS) return;
    askedMs.current = Date.now();
    asked.again();
  }, [turns]);
  return asked;
}

function HealthCard({ checks, since }: { readonly checks: readonly Check[]; readonly since: string }) {
  return (
    <Card title="Health" aside={since}>
      <ul class="tiles narrow">
        {[...checks.filter(isTroubled), ...checks.filter((check) => !isTroubled(check))].map((check) => (
          <CheckTile key={check.name} {...check} />
        ))}
      </ul>
    </Card>
  );
}

function CheckTile({ name, tone, state, trouble }: Check) {
  return (
    <li class={trouble === null ? "now-check grid" : "now-check grid now-troubled whole-row"}>
      <Dot tone={tone} />
      <span class="now-check-name column any-break">
        <strong class="medium">{name}</strong>
        <span class="small soft">{state}</span>
      </span>
      {trouble !== null && (
        <div class="now-check-advice row between gap-3 small soft any-break">
          {trouble.advice}
          {trouble.command !== null && <Command text={trouble.command} />}
        </div>
      )}
    </li>
  );
}

function isTroubled({ trouble }: Check): boolean {
  return trouble !== null;
}

/** Read first: whether it works, and if not, what to do. */
function Headline({ verdict, summary }: { readonly verdict: Verdict; readonly summary: string }) {
  const { tone, sentence, advice, command, also } = verdict;
  return (
    <header class="view-head now-head flex gap-4 any-break">
      <span class={`sign grid fixed-size ${tone}`}>
        <Sign tone={tone} />
      </span>
      <div>
        <h1 tabIndex={-1}>
          <span class="unseen">Now: </span>
          <span aria-live="polite">{sentence}</span>
        </h1>
        {(advice !== null || command !== null) && (
          <p class="row wrap gap-2">
            {advice}
            {command !== null && <Command text={command} />}
          </p>
        )}
        {also.length > 0 && <p>Also: {also.join(" ")}</p>}
        {tone === "good" && <p>{summary}</p>}
      </div>
    </header>
  );
}

function Sign({ tone }: { readonly tone: Tone }) {
  const shapes = { good: "M6 12.5l4 4 8-9", caution: "M12 6v7.5M12 17.5v.1", bad: "M7.5 7.5l9 9M16.5 7.5l-9 9" };
  const shape = tone === "good" || tone === "caution" || tone === "bad" ? shapes[tone] : "M7 12h10";
  return (
    <Icon weight={2.4}>
      <path d={shape} />
    </Icon>
  );
}
