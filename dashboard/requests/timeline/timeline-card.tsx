import { useState } from "preact/hooks";
import type { PageEntry, TimedRequest } from "../../../src/page/contract.js";
import { Card } from "../../parts/card.js";
import { Choices } from "../../parts/choices.js";
import { duration, some } from "../../parts/format.js";
import { isThin } from "./layout.js";
import { Plot } from "./plot.js";
import { TimesTable } from "./times-table.js";
import { phaseNames, phaseSums, placeIn, turnTimesOf } from "./turn-times.js";

interface TimelineCardProps {
  readonly turn: readonly TimedRequest[];
  /** The request that is looked at. */
  readonly entry: PageEntry;
  /** The time, while it is being answered. */
  readonly runsAtMs: number | undefined;
  readonly hrefOf: (id: string) => string;
}

/** When what happened, drawn to scale, and the same in a table. */
export function TimelineCard({ turn, entry, runsAtMs, hrefOf }: TimelineCardProps) {
  const [shown, setShown] = useState<"turn" | "request">("turn");
  const isTurn = turn.length > 1 && shown === "turn";
  const place = placeIn(turn, entry);
  const times = isTurn ? turnTimesOf(turn, runsAtMs) : turnTimesOf(turn.slice(place, place + 1), runsAtMs, place + 1);
  const whole = duration(times.wholeMs);
  const what = isTurn ? `${some(turn.length, "request")} in ${whole}` : whole;
  const choices = { turn: "Whole turn", request: "This request" };
  return (
    <Card
      title="Timeline"
      class="requests-timeline"
      aside={
        turn.length > 1 ? <Choices label="What is drawn" choices={choices} chosen={shown} onChoose={setShown} /> : what
      }
    >
      {turn.length > 1 && <p class="requests-timeline-sum">{what}</p>}
      <Plot times={times} own={isTurn ? place : 0} hrefOf={hrefOf} label={`Timeline of ${what}`} />
      <ul class="requests-timeline-legend">
        {phaseSums(times).map(({ phase, ms }) => (
          <li key={phase}>
            <svg class="requests-timeline-swatch" viewBox="0 0 18 12" aria-hidden="true">
              <rect
                class={`requests-phase ${phase}`}
                x="0"
                y={isThin(phase) ? 4 : 1}
                width="18"
                height={isThin(phase) ? 4 : 10}
              />
            </svg>
            {phaseNames[phase]}
            <span class="requests-timeline-ms">{duration(ms)}</span>
          </li>
        ))}
      </ul>
      <details>
        <summary>The same as a table</summary>
        <TimesTable times={times} />
      </details>
    </Card>
  );
}
