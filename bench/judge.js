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
      return [name, { measured: Number(figure.toPrecision(4)), margin }];
    }),
  );
}

/** By what a figure depends on: counts on nothing but the program, CPU on everything. */
function defaultMargin(name) {
  const [, margin] = margins.find(([measure]) => name.endsWith(measure));
  return margin;
}

const margins = [
  ["upstreamBytes", 0.02],
  ["promises", 0.05],
  ["allocatedBytes", 0.15],
  ["allocationExponent", 0.15],
  ["readsAndWrites", 0.3],
  ["cpuExponent", 0.2],
  ["cpuRatio", 0.6],
];
