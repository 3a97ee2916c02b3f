import { useMemo } from "preact/hooks";
import type { UsageAnswer } from "../../src/page/contract.js";
import { Empty } from "../parts/states.js";
import { costNote } from "../parts/sum-words.js";
import { PlotCard } from "./plot-card.js";
import { type Measure, measures } from "./question.js";
import { timeTable } from "./tables.js";
import { TimeBars } from "./time-bars.js";
import { plotOverTime } from "./time-plot.js";

interface ByTimeProps {
  readonly answer: UsageAnswer;
  readonly measure: Measure;
  readonly rangeName: string;
  readonly nowMs: number;
}

/** Tokens or cost by day, or by hour. */
export function ByTime({ answer, measure, rangeName, nowMs }: ByTimeProps) {
  const plot = useMemo(() => plotOverTime(answer, measure, nowMs), [answer, measure, nowMs]);
  const { cost } = answer.total;
  const isIncomplete = measure === "cost" && cost.unpriced_models.length > 0;
  return (
    <PlotCard title={`${measures[measure]} by ${plot.unit}`} table={timeTable(plot, answer.total)}>
      {plot.total === 0 && isIncomplete ? (
        <Empty title="None of these models has a list price">
          <p>Their cost is not known. Their tokens are.</p>
        </Empty>
      ) : (
        <>
          <TimeBars key={rangeName} plot={plot} rangeName={rangeName} />
          {isIncomplete && <p class="faint usage-note">There is {costNote(cost, 8)}.</p>}
        </>
      )}
    </PlotCard>
  );
}
