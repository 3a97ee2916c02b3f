// A figure may exceed the value that was measured when its limit was set by a margin, and no more.

/** Every figure with its limit and whether it passes. A figure without a limit, or a limit without a figure, does not pass. */
export function judge(figures, limits) {
  const names = [...new Set([...Object.keys(limits), ...Object.keys(figures)])];
  return names.map((name) => {
    const figure = figures[name];
    const limit = limits[name] && limits[name].measured * (1 + limits[name].margin);
    return { name, figure, limit, passes: figure !== undefined && limit !== undefined && figure <= limit };
  });
}

/** New limits from new figures. Existing margins are kept. */
export function renewLimits(figures, limits) {
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => {
      const margin = limits[name]?.margin ?? defaultMargin(name);
      // Costs must grow linearly with the length of a conversation, whatever was measured.
      const measured = name.endsWith("Exponent") ? 1 : Number(figure.toPrecision(4));
      return [name, { measured, margin }];
    }),
  );
}

/** Twice the difference between runs on a machine with ten other busy processes. */
function defaultMargin(name) {
  const [, margin] = margins.find(([end]) => name.endsWith(end));
  return margin;
}

const margins = [
  ["upstreamBytes", 0.02],
  ["burst-chat promises", 4], // depends on how many deltas come together; one per delta would be 60 times as many
  ["agent-new promises", 0.1], // the store makes some, depending on how often it writes
  ["agent-warm-20 promises", 0.1],
  ["promises", 0.05],
  ["burst-chat allocatedBytes", 0.5], // also depends on how many deltas come together
  ["allocatedBytes", 0.12],
  ["allocationExponent", 0.25],
  ["readsAndWrites", 0.3],
  ["cpuExponent", 0.5], // 0.4 more was measured next to twenty busy processes; a quadratic loop adds 0.7
  ["short-chat cpuRatio", 1.5], // twice as high on a quiet machine as on a busy one, where the proxy suffers more
  ["cpuRatio", 1.2],
];
