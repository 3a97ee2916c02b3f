/** How far the keys lead, by their names. */
type Steps = Readonly<Record<string, number>>;

interface Row {
  readonly from: number;
  readonly count: number;
  /** Whether the last one leads on to the first one. */
  readonly isRound?: boolean;
}

/** Where a key leads in a row of things: by its step, or with Home and End to the ends. Undefined if it leads nowhere. */
export function placeAfter(key: string, steps: Steps, { from, count, isRound = false }: Row): number | undefined {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (step === undefined) return undefined;
  return isRound ? (from + step + count) % count : Math.min(Math.max(from + step, 0), count - 1);
}
