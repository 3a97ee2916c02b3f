import { clockTime } from "../../parts/format.js";
import { exactDuration } from "./ticks.js";
import { type Lane, phaseNames, type TurnTimes } from "./turn-times.js";

/** The timeline for those who want its numbers. */
export function TimesTable({ times: { beganMs, lanes } }: { readonly times: TurnTimes }) {
  return (
    <div class="table-scroll">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" class="number">
              From
            </th>
            <th scope="col" class="number">
              To
            </th>
            <th scope="col" class="number">
              Took
            </th>
          </tr>
        </thead>
        {lanes.map((lane) => (
          <tbody key={lane.id}>
            <tr>
              <th scope="rowgroup" colSpan={4} class="requests-times">
                Request {lane.number}
                <span>{momentsText(lane, beganMs)}</span>
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
