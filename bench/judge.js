// A figure may exceed the value that was measured when its limit was set by a margin, and no more. Where the margin is small, a gain is
// pointed out too: limits that are not renewed after it would let it be lost again.

const SMALL_MARGIN = 0.05;
/** Wake-ups of V8's own threads and other programs of the machine change these: they are for people to look at. */
const isShown = (name) => name.endsWith("readsAndWrites") || name.endsWith("cpuRatio");

/**
 * Every figure with its limit and a verdict: `ok`, `over`, `gain` for one that asks for a lower limit, or `shown`. A figure without a
 * limit, or a limit without a figure, is `over`.
 */
export function judge(figures, limits) {
  const names = [...new Set([...Object.keys(limits), ...Object.keys(figures)])];
  return names.map((name) => {
    const figure = figures[name];
    if (isShown(name)) return { name, figure, limit: undefined, verdict: "shown" };
    const { measured, margin } = limits[name] ?? {};
    const limit = measured === undefined ? undefined : measured * (1 + margin);
    const isWithin = figure !== undefined && limit !== undefined && figure <= limit;
    const isGain = isWithin && margin <= SMALL_MARGIN && figure < measured * (1 - margin);
    return { name, figure, limit, verdict: isGain ? "gain" : isWithin ? "ok" : "over" };
  });
}

/** New limits from new figures. */
export function renewLimits(figures) {
  const judged = Object.entries(figures).filter(([name]) => !isShown(name));
  return Object.fromEntries(
    judged.map(([name, figure]) => {
      // Costs must grow linearly with the length of a conversation, whatever was measured.
      const measured = name.endsWith("Exponent") ? 1 : Number(figure.toPrecision(4));
      return [name, { measured, margin: marginOf(name) }];
    }),
  );
}

function marginOf(name) {
  const [, margin] = margins.find(([end]) => name.endsWith(end));
  return margin;
}

const margins = [
  ["burst-chat promises", 4], // depends on how many deltas come together; one per delta would be 60 times as many
  ["agent-new promises", 0.1], // the store makes some, depending on how often it writes
  ["agent-warm-20 promises", 0.1],
  ["promises", SMALL_MARGIN],
  ["burst-chat allocatedBytes", 0.5], // also depends on how many deltas come together
  ["history-200-cold allocatedBytes", 0.1], // long work is cut into slices by the clock; 0.97 to 1.04 times the limit was measured
  ["allocatedBytes", SMALL_MARGIN],
  ["upstreamBytes", SMALL_MARGIN],
  ["runs", SMALL_MARGIN],
  ["allocationExponent", 0.25],
  ["cpuExponent", 0.5], // 0.4 more was measured next to twenty busy processes; a quadratic loop adds 0.7
];
