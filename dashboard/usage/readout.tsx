import { CutName } from "../parts/cut-name.js";
import type { TimePlot } from "./time-plot.js";

interface ReadoutProps {
  readonly plot: TimePlot;
  /** What is meant if nothing is pointed at. */
  readonly rangeName: string;
  readonly pointed: number | undefined;
}

/** The legend of a plot, which has the exact values of what is pointed at, or else of the whole range. The slider says the same. */
export function Readout({ plot: { slots, series, total, format }, rangeName, pointed }: ReadoutProps) {
  const slot = pointed === undefined ? undefined : slots[pointed];
  const values = slot?.values ?? series.map((each) => each.total);
  const all = slot === undefined ? total : slot.values.reduce((sum, value) => sum + value, 0);
  return (
    <dl class="usage-readout">
      <div class="usage-readout-all">
        <dt>{slot === undefined ? rangeName : slot.name}</dt>
        <dd>{format(all)}</dd>
      </div>
      {series.length > 1 &&
        series.map(({ name, color }, index) => (
          <div key={name}>
            <dt>
              <span class="usage-swatch" style={{ background: `var(${color})` }} aria-hidden="true" />
              <CutName name={name} />
            </dt>
            <dd>{format(values[index] ?? 0)}</dd>
          </div>
        ))}
    </dl>
  );
}
