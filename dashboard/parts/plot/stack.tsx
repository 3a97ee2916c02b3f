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
        const shape = { x, y: heightPx - toPx + gapPx, widthPx, heightPx: toPx - fromPx - gapPx };
        return (
          <path
            key={index}
            d={isTop ? roundedPath(shape) : plainPath(shape)}
            style={{ fill: `var(${colors[index]})` }}
          />
        );
      })}
    </g>
  );
}

interface Shape {
  readonly x: number;
  readonly y: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

function plainPath({ x, y, widthPx, heightPx }: Shape): string {
  return `M${x} ${y}h${widthPx}v${heightPx}h${-widthPx}z`;
}

/** Round at the top alone: a bar stands on its base. */
function roundedPath({ x, y, widthPx, heightPx }: Shape): string {
  const r = Math.min(RADIUS_PX, widthPx / 3, heightPx);
  return `M${x} ${y + heightPx}v${r - heightPx}q0 ${-r} ${r} ${-r}h${widthPx - 2 * r}q${r} 0 ${r} ${r}v${heightPx - r}z`;
}
