/** With two mistakes, a word of four letters could be anything. */
const SHORT_LENGTH = 4;

/** The candidates that a mistyped word may have meant, the likeliest first; empty when none is close enough. */
export function closest(
  word: string,
  candidates: readonly string[],
  count = 1,
  maxDistance = word.length <= SHORT_LENGTH ? 1 : Math.max(2, word.length / 3),
): string[] {
  const wanted = word.toLowerCase();
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** Text to append to a sentence, such as ` Did you mean --port?`; empty when no candidate is close enough. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ""): string {
  const begun =
    word.length > 2 ? candidates.find((each) => each.toLowerCase().startsWith(word.toLowerCase())) : undefined;
  const [near = begun] = closest(word, candidates);
  return near === undefined ? "" : ` Did you mean ${prefix}${near}?`;
}

/** How many letters are missing, left over, wrong or swapped with their neighbour; computed one row at a time. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(substitution, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, swap));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
