/** A segment of the plot. */
export interface Place {
  readonly lane: number;
  readonly box: number;
}

/** The place itself, or where there is none any more the one nearest to it; undefined if there is none at all. */
export function nearestPlace({ lane, box }: Place, boxCounts: readonly number[]): Place | undefined {
  if ((boxCounts[lane] ?? 0) > box) return { lane, box };
  const first = boxCounts.findIndex((count) => count > 0);
  return first < 0 ? undefined : { lane: first, box: 0 };
}

/** Where a key leads: to the segment before or after, or to the same one of the lane above or below. Lanes may be empty. */
export function placeAfter(key: string, from: Place | undefined, boxCounts: readonly number[]): Place | undefined {
  if (from === undefined) return undefined;
  const all = boxCounts.flatMap((count, lane) => Array.from({ length: count }, (_, box): Place => ({ lane, box })));
  const at = all.findIndex(({ lane, box }) => lane === from.lane && box === from.box);
  switch (key) {
    case "ArrowRight":
      return all[at + 1];
    case "ArrowLeft":
      return all[at - 1];
    case "Home":
      return all[0];
    case "End":
      return all.at(-1);
    case "ArrowDown":
      return inLane(all.find(({ lane }) => lane > from.lane)?.lane);
    case "ArrowUp":
      return inLane(all.findLast(({ lane }) => lane < from.lane)?.lane);
    default:
      return undefined;
  }

  function inLane(lane: number | undefined): Place | undefined {
    return lane === undefined || from === undefined
      ? undefined
      : { lane, box: Math.min(from.box, (boxCounts[lane] ?? 1) - 1) };
  }
}
