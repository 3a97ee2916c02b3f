import "./usage.css";
import { useContext } from "preact/hooks";
import { UNREACHABLE } from "../api/problem.js";
import { Choices } from "../parts/choices.js";
import { currentRoute, hrefOf, useRoute } from "../parts/route.js";
import { FailedCard } from "../parts/states.js";
import { useClock } from "../parts/use-clock.js";
import { LiveContext } from "../parts/use-live.js";
import { ByName } from "./by-name.js";
import { ByTime } from "./by-time.js";
import { Figures } from "./figures.js";
import { measures, parseQuestion, type Question, queryOf, ranges } from "./question.js";
import { dayOf, rangeText } from "./slots.js";
import { NothingYet, Outdated, StillLoading } from "./usage-states.js";
import { useUsage } from "./use-usage.js";

const MINUTE_MS = 60_000;

/** Tokens and cost by day, model and client. */
export function UsageView() {
  const { range, measure } = parseQuestion(useRoute().query);
  const { skewMs } = useContext(LiveContext).view;
  // The view changes with the hour, and with the day.
  const nowMs = Math.floor((useClock(MINUTE_MS, true) + skewMs) / MINUTE_MS) * MINUTE_MS;
  const { usage, problem, again } = useUsage(range, dayOf(nowMs));
  const choose = (choice: Partial<Question>) =>
    location.replace(hrefOf("usage", undefined, queryOf({ ...parseQuestion(currentRoute().query), ...choice })));
  const isOther = usage !== undefined && usage.range !== range;
  return (
    <>
      <header class="view-head">
        <div>
          <h1 tabIndex={-1}>Usage</h1>
          <p>{rangeText(nowMs, ranges[range].days)}</p>
        </div>
        <div class="usage-choices">
          <Choices label="Range" choices={rangeTitles} chosen={range} onChoose={(range) => choose({ range })} />
          <Choices label="Measure" choices={measures} chosen={measure} onChoose={(measure) => choose({ measure })} />
        </div>
      </header>
      {problem !== undefined && (usage === undefined || isOther) ? (
        <FailedCard problem={problem} again={again} />
      ) : usage === undefined ? (
        <StillLoading />
      ) : usage.byTime.total.requests === 0 ? (
        <NothingYet range={usage.range} />
      ) : (
        <div class="usage-body" aria-busy={isOther}>
          {problem !== undefined && problem !== UNREACHABLE && <Outdated problem={problem} again={again} />}
          <Figures total={usage.byTime.total} />
          <ByTime answer={usage.byTime} measure={measure} rangeName={ranges[usage.range].title} nowMs={nowMs} />
          <div class="usage-columns">
            <ByName kind="model" answer={usage.byModel} measure={measure} />
            <ByName kind="client" answer={usage.byClient} measure={measure} />
          </div>
        </div>
      )}
    </>
  );
}

const rangeTitles = {
  today: ranges.today.title,
  "7d": ranges["7d"].title,
  "30d": ranges["30d"].title,
  "90d": ranges["90d"].title,
};
