import { clockTime, duration, some } from "@curlew/gateway/system/format.js";
import { useState } from "preact/hooks";
import type { RequestAnswer } from "../../../access/contract.js";
import { Card, HeadRow } from "../../parts/card.js";
import { Choices } from "../../parts/tabs.js";
import { isThin } from "./layout.js";
import { Plot } from "./plot.js";
import { exactDuration } from "./ticks.js";
import { type Lane, phaseNames, phaseSums, placeIn, type TurnTimes, turnTimesOf } from "./turn-times.js";

interface TimelineCardProps extends Pick<RequestAnswer, "turn" | "entry"> {
  readonly runsAtMs: number | undefined;
  readonly hrefOf: (id: string) => string;
}

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
      aside={
        turn.length > 1 ? <Choices label="What is drawn" choices={choices} chosen={shown} onChoose={setShown} /> : what
      }
    >
      {turn.length > 1 && <p class="small soft below">{what}</p>}
      <Plot times={times} own={isTurn ? place : 0} hrefOf={hrefOf} label={`Timeline of ${what}`} />
      <ul class="legend flex wrap small soft above-3">
        {phaseSums(times).map(({ phase, ms }) => (
          <li key={phase} class="row gap-2">
            <svg width={18} overflow="visible" viewBox="0 0 18 12" aria-hidden="true">
              <rect
                class={`timeline-phase ${phase}`}
                y={isThin(phase) ? 4 : 1}
                width="18"
                height={isThin(phase) ? 4 : 10}
              />
            </svg>
            {phaseNames[phase]}
            <span class="ink medium">{duration(ms)}</span>
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

function TimesTable({ times: { beganMs, lanes } }: { readonly times: TurnTimes }) {
  return (
    <div class="table-scroll">
      <table class="data">
        <thead>
          <HeadRow titles={["What", "From", "To", "Took"]} />
        </thead>
        {lanes.map((lane) => (
          <tbody key={lane.id}>
            <tr>
              <th scope="rowgroup" colSpan={4} class="tiny pale">
                <strong>Request {lane.number}</strong> {momentsText(lane, beganMs)}
              </th>
            </tr>
            {lane.segments.map(({ phase, fromMs, toMs }) => (
              <tr key={`${phase} ${fromMs}`}>
                <td>{phaseNames[phase]}</td>
                <td class="number">{exactDuration(fromMs)}</td>
                <td class="number">{exactDuration(toMs)}</td>
                <td class="number">{exactDuration(toMs - fromMs)}</td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** received at 14:05:09, planned after 3 ms, ... */
function momentsText({ moments, fromMs }: Lane, beganMs: number): string {
  return moments
    .map(({ name, atMs }) =>
      name === "received"
        ? `received at ${clockTime(beganMs + atMs)}`
        : `${name} after ${exactDuration(atMs - fromMs)}`,
    )
    .join(", ");
}
