export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Undefined where there is no figure, as for what cannot be measured in a process that is not ours. */
export function spread(numbers) {
  const known = numbers.filter((number) => Number.isFinite(number));
  if (known.length === 0) return undefined;
  return { median: median(known), min: Math.min(...known), max: Math.max(...known) };
}

/** Round by round, so that both sides of each ratio were measured under the same load. */
export function ratioSpread(numbers, others) {
  return spread(numbers.map((number, index) => number / others[index]));
}

/** How cost grows with size: 1 when it doubles as the size does, 2 when it quadruples. */
export function growthExponent(smallSize, smallCost, largeSize, largeCost) {
  return Math.log(largeCost / smallCost) / Math.log(largeSize / smallSize);
}
