/** The candidates that a mistyped word may have meant, the likeliest first; empty when none is close enough. */
export function closest(
  word: string,
  candidates: readonly string[],
  count = 1,
  maxDistance = Math.max(2, word.length / 3),
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
  const [near] = closest(word, candidates);
  return near === undefined ? "" : ` Did you mean ${prefix}${near}?`;
}

/** The Levenshtein distance, computed one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
