import { stackValues } from "./columns.js";

interface StackProps {
  readonly values: readonly number[];
  readonly colors: readonly string[];
  readonly max: number;
  readonly x: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

const RADIUS_PX = 4;
/** Between two colours, where both are high enough for it. */
const GAP_PX = 1;

export function Stack({ values, colors, max, x, widthPx, heightPx }: StackProps) {
  const segments = stackValues(values, max, heightPx);
  return (
    <g>
      {segments.map(({ index, fromPx, toPx }, at) => {
        const isTop = at === segments.length - 1;
        const gapPx = !isTop && toPx - fromPx > 3 * GAP_PX ? GAP_PX : 0;
        const ownPx = toPx - fromPx - gapPx;
        const radiusPx = isTop ? Math.min(RADIUS_PX, widthPx / 3, ownPx) : 0;
        const path = barPath(x, heightPx - toPx + gapPx, widthPx, ownPx, radiusPx);
        return <path key={index} d={path} style={{ fill: `var(${colors[index]})` }} />;
      })}
    </g>
  );
}

/** A bar that stands on its base, with corners of this radius at the top. */
function barPath(x: number, y: number, width: number, height: number, r: number): string {
  return `M${x} ${y + height}v${r - height}q0 ${-r} ${r} ${-r}h${width - 2 * r}q${r} 0 ${r} ${r}v${height - r}z`;
}
