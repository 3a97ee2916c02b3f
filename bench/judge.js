// A figure may exceed what was measured when its limit was set by a share of it, and no more.

/** Every figure with its limit and whether it holds. What has no limit, or is no longer measured, does not hold either. */
export function judge(figures, limits) {
  const names = [...new Set([...Object.keys(limits), ...Object.keys(figures)])];
  return names.map((name) => {
    const figure = figures[name];
    const limit = limits[name] && limits[name].measured * (1 + limits[name].margin);
    return { name, figure, limit, holds: figure !== undefined && limit !== undefined && figure <= limit };
  });
}

/** The limits that follow from new figures; margins that are there stay. */
export function renewLimits(figures, limits) {
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => {
      const margin = limits[name]?.margin ?? defaultMargin(name);
      // Costs are to grow with the length of a conversation, and not faster, whatever was measured.
      const measured = name.endsWith("Exponent") ? 1 : Number(figure.toPrecision(4));
      return [name, { measured, margin }];
    }),
  );
}

/** By how much a figure differed between runs on a machine that had ten other things to do, and as much again. */
function defaultMargin(name) {
  const [, margin] = margins.find(([end]) => name.endsWith(end));
  return margin;
}

const margins = [
  ["upstreamBytes", 0.02],
  ["burst-chat promises", 4], // by how many deltas come together; one for each would be 60 times as many
  ["agent-new promises", 0.1], // the store makes some, by how often it writes
  ["agent-warm-20 promises", 0.1],
  ["promises", 0.05],
  ["burst-chat allocatedBytes", 0.5], // by how many deltas come together, too
  ["allocatedBytes", 0.12],
  ["allocationExponent", 0.25],
  ["readsAndWrites", 0.3],
  ["cpuExponent", 0.5], // 0.4 more was measured beside twenty other things; a quadratic loop brings 0.7
  ["short-chat cpuRatio", 1.5], // twice as high on a quiet machine as on a busy one, where the proxy suffers more
  ["cpuRatio", 1.2],
];
