// The figures of a run as tables. Their rows of cells are printed here and become Markdown in the page.
function show(figure, digits = 2) {
  if (figure === undefined) return "-";
  const { median, min, max } = figure;
  return `${number(median, digits)} [${number(min, digits)}-${number(max, digits)}]`;
}

function number(value, digits = 0) {
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A table with one row for each compared scenario. `cell` makes the cell of a target. */
function scenarioTable(result, unit, cell) {
  const scenarios = result.scenarios.filter((scenario) => unit === undefined || scenario.unit === unit);
  const names = targetNames(result);
  return {
    head: ["", ...names],
    rows: scenarios.map(({ title, targets, failures }) => [
      title,
      ...names.map((name) => failures[name] ?? cell(targets[name] ?? {})),
    ]),
  };
}

export function targetNames(result) {
  return Object.keys(result.scenarios[0]?.targets ?? {});
}

export function ratioTable(result) {
  return scenarioTable(result, undefined, ({ cpuUsRatio }) => show(cpuUsRatio));
}

export function cpuTable(result) {
  return scenarioTable(result, undefined, ({ cpuUs }) => (cpuUs === undefined ? "-" : number(cpuUs.median, 1)));
}

export function firstByteTable(result) {
  return scenarioTable(result, "request", ({ firstMsRatio }) => show(firstMsRatio));
}

export function allocationTable(result) {
  return scenarioTable(result, undefined, ({ allocatedBytes }) =>
    allocatedBytes === undefined ? "-" : number(allocatedBytes.median / 1_024, 1),
  );
}

export function callsTable(result) {
  return scenarioTable(result, undefined, ({ readsAndWrites }) =>
    readsAndWrites === undefined ? "-" : number(readsAndWrites.median, 2),
  );
}

export function upstreamTable(result) {
  return scenarioTable(result, "request", ({ upstreamBytes }) =>
    upstreamBytes === undefined ? "-" : number(upstreamBytes.median),
  );
}

export function stretchTable({ stretches = [] }) {
  const names = Object.keys(stretches[0]?.longestMs ?? {});
  return {
    head: ["", ...names],
    rows: stretches.map(({ title, longestMs }) => [title, ...names.map((name) => number(longestMs[name], 1))]),
  };
}

export function parkedTable({ parked = {} }) {
  return {
    head: ["", "parked runs", "KiB held for each", "MiB resident", "CPU while idle, %"],
    rows: Object.entries(parked).flatMap(([name, levels]) =>
      levels.map(({ count, heldKiBEach, rssMiB, idleCpuPercent }) => [
        name,
        number(count),
        number(heldKiBEach, 1),
        number(rssMiB),
        number(idleCpuPercent, 1),
      ]),
    ),
  };
}

export function stalledTable({ stalled = {} }) {
  return {
    head: ["", "KiB held for each stalled reader", "first byte of a reader beside them, ms"],
    rows: Object.entries(stalled).map(([name, { heldKiBEach, neighbourFirstMs }]) => [
      name,
      number(heldKiBEach),
      number(neighbourFirstMs, 1),
    ]),
  };
}

export function storeTable({ stores = {} }) {
  return {
    head: [
      "",
      "checkpoints",
      "put, us",
      "get, us",
      "miss, us",
      "open, ms",
      "first sweep, ms",
      "later sweep, ms",
      "longest stretch, ms",
    ],
    rows: Object.entries(stores).flatMap(([name, sizes]) =>
      sizes.map(({ count, putUs, getUs, missUs, openMs, sweepMs, laterSweepMs, sweepLongestMs, longestMs }) => [
        name,
        number(count),
        ...[putUs, getUs, missUs, openMs, sweepMs].map((value) => number(value, 1)),
        // Older results have one sweep, and only its longest slice.
        laterSweepMs === undefined ? "-" : number(laterSweepMs, 1),
        longestStretch(longestMs ?? { "first sweep": sweepLongestMs }),
      ]),
    ),
  };
}

/** The longest of the named stretches. */
function longestStretch(longestMs) {
  const [[name, ms]] = Object.entries(longestMs).sort(([, a], [, b]) => b - a);
  return `${number(ms, 1)} (${name})`;
}

export function coldStartTable({ coldStart = {} }) {
  return {
    head: [
      "",
      "`--version`, ms",
      "x an empty Node",
      "until it listens, ms",
      "CPU, ms",
      "until its first answer, ms",
      "CPU, ms",
    ],
    rows: Object.entries(coldStart).map(([name, { versionMs, ratio, ...serve }]) => [
      name,
      number(versionMs),
      number(ratio, 2),
      ...[serve.readyMs, serve.readyCpuMs, serve.answeredMs, serve.answeredCpuMs].map((ms) => number(ms)),
    ]),
  };
}

export function officialTable({ official = {} }) {
  return {
    head: ["", "first text, ms", "bytes upstream", "CPU of a turn, ms"],
    rows: Object.entries(official).map(([name, { firstMs, upstreamBytes, cpuUs }]) => {
      const cpuMs = Object.fromEntries(Object.entries(cpuUs).map(([key, us]) => [key, us / 1_000]));
      return [name, show(firstMs, 1), show(upstreamBytes, 0), show(cpuMs, 1)];
    }),
  };
}

/** The CPU of the second of two builds relative to the first. */
export function buildsTable(result) {
  const [before, after] = result.builds.map(({ name }) => name);
  return {
    head: ["", `${before}, us`, `${after}, us`, "CPU", "allocated", "bytes upstream"],
    rows: result.scenarios.map(({ title, targets }) => {
      const change = (measure) => {
        const [from, to] = [targets[before][measure], targets[after][measure]];
        return from === undefined || from.median === 0 ? "-" : percent(to.median / from.median - 1);
      };
      const us = (name) => number(targets[name].cpuUs.median, 1);
      return [title, us(before), us(after), change("cpuUs"), change("allocatedBytes"), change("upstreamBytes")];
    }),
  };
}

function percent(change) {
  return `${change > 0 ? "+" : ""}${number(100 * change)} %`;
}

/** The differences between the medians of repeated runs. */
export function repeatTable(results) {
  const [first, ...others] = results;
  return {
    head: ["CPU x ceiling", ...results.map(({ name }) => name), "largest difference"],
    rows: first.scenarios.map(({ name, title, targets }) => {
      const medians = [targets, ...others.map((other) => other.scenarios.find((one) => one.name === name).targets)].map(
        ({ gateway }) => gateway.cpuUsRatio.median,
      );
      const difference = Math.max(...medians) / Math.min(...medians) - 1;
      return [title, ...medians.map((value) => number(value, 2)), percent(difference)];
    }),
  };
}

const printed = {
  "CPU x ceiling": ratioTable,
  "CPU, us": cpuTable,
  "first byte x ceiling": firstByteTable,
  "allocated, KiB": allocationTable,
  "reads and writes": callsTable,
  "bytes upstream": upstreamTable,
  "longest stretch, ms": stretchTable,
  parked: parkedTable,
  stalled: stalledTable,
  stores: storeTable,
  "cold start": coldStartTable,
  "Cursor's SDK, later turns": officialTable,
};

export function printTables(result) {
  const tables = { ...printed, ...(result.builds.length === 2 && { builds: buildsTable }) };
  for (const [title, make] of Object.entries(tables)) {
    const { head, rows } = make(result);
    if (rows.length === 0) continue;
    const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column].length)));
    console.log(`\n${title}`);
    for (const row of [head, ...rows]) {
      const [first, ...others] = row.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]),
      );
      console.log(`  ${[first, ...others].join("  ")}`);
    }
  }
}
