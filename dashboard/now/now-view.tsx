import "./now.css";
import { useContext } from "preact/hooks";
import type { NowAnswer, PlanAnswerBody } from "../../src/page/contract.js";
import type { LiveView } from "../api/live.js";
import { Card } from "../parts/card.js";
import { shortDate, some } from "../parts/format.js";
import { FailedCard, Loading } from "../parts/states.js";
import { LiveContext, useLive } from "../parts/use-live.js";
import { checksOf } from "./checks.js";
import { Headline } from "./headline.js";
import { HealthCard } from "./health-card.js";
import { PlanCard } from "./plan-card.js";
import { planTrouble } from "./plan-text.js";
import { RunningCard } from "./running-card.js";
import { TodayCard } from "./today-card.js";
import { usePlan } from "./use-plan.js";
import { verdictOf } from "./verdict.js";

/** Is it working, what has today cost, what runs right now. */
export function NowView() {
  const live = useContext(LiveContext);
  const view = useLive();
  const plan = usePlan(view.now?.today.turns ?? 0);
  if (view.now !== undefined) return <Known view={view} now={view.now} plan={plan} />;
  return (
    <>
      <header class="view-head now-head">
        <h1 tabIndex={-1}>Now</h1>
      </header>
      {view.connection === "offline" ? (
        <FailedCard problem={view.problem ?? ""} again={() => live.reconnect()} />
      ) : (
        <Coming />
      )}
    </>
  );
}

interface KnownProps {
  readonly view: LiveView;
  readonly now: NowAnswer;
  readonly plan: ReturnType<typeof usePlan>;
}

function Known({ view, now, plan }: KnownProps) {
  const { connection, skewMs } = view;
  const checks = checksOf(now.health);
  const answered: PlanAnswerBody["plan"] = plan.answer?.plan ?? null;
  const verdict = verdictOf({
    connection,
    checks,
    planTrouble: answered === null ? null : planTrouble(answered),
    hasAnswered: now.health.backends.some(({ lastSuccess }) => lastSuccess !== null),
  });
  return (
    <>
      <Headline verdict={verdict} summary={summaryOf(now)} />
      <TodayCard today={now.today} />
      <div class="now-columns">
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
  const answering =
    open === 0 ? "Nothing is being answered right now" : `${some(open, "request is", "requests are")} being answered`;
  return paused === 0 ? `${answering}.` : `${answering}, ${some(paused, "run waits", "runs wait")} for tools.`;
}

/** The view before the first answer, in its later layout. */
function Coming() {
  return (
    <>
      <Card title="Today" class="now-today">
        <Loading lines={5} what="today's figures" />
      </Card>
      <div class="now-columns">
        <Card title="Running now" class="now-running">
          <Loading lines={6} what="what runs" />
        </Card>
        <Card title="Plan" class="now-plan">
          <Loading lines={6} what="the plan" />
        </Card>
      </div>
    </>
  );
}
