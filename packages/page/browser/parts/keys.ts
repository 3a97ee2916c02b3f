/** Steps by key name. */
type Steps = Readonly<Record<string, number>>;

interface Row {
  readonly from: number;
  readonly count: number;
  /** Whether the row wraps around. */
  readonly isRound?: boolean;
}

/** The item that a key leads to: by its step, or to the ends with Home and End. Undefined for other keys. */
export function placeAfter(key: string, steps: Steps, { from, count, isRound = false }: Row): number | undefined {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (step === undefined) return undefined;
  return isRound ? (from + step + count) % count : Math.min(Math.max(from + step, 0), count - 1);
}
