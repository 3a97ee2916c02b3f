export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median and range; undefined when there is no figure, as for what cannot be measured in a foreign process. */
export function spread(numbers) {
  const known = numbers.filter((number) => Number.isFinite(number));
  if (known.length === 0) return undefined;
  return { median: median(known), min: Math.min(...known), max: Math.max(...known) };
}

/** The ratios of each round, so that both sides were measured under the same load. */
export function ratioSpread(numbers, others) {
  return spread(numbers.map((number, index) => number / others[index]));
}

/** The exponent by which cost grows with size: 1 when it doubles with the size, 2 when it quadruples. */
export function growthExponent(smallSize, smallCost, largeSize, largeCost) {
  return Math.log(largeCost / smallCost) / Math.log(largeSize / smallSize);
}
