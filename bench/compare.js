// Runs the scenarios on all targets in turn, round by round, so that a busy moment of the machine affects all of them.
import { measureRequests, measureStretch, requestScenarios, stretchScenarios } from "./scenarios/requests.js";
import { burstScenarios, measureBurst, measurePaced, pacedScenarios } from "./scenarios/streams.js";
import { ratioSpread, spread } from "./statistics.js";

/**
 * Every scenario with its unit and how one round of it is measured. `share` reduces the work of a round. Scenarios that fill a store
 * come last, because the gateway sweeps its store every minute and the cost would be charged to the other scenarios.
 */
export function comparedScenarios(share = 1) {
  const cut = (count) => Math.max(2, Math.round(count * share));
  const requests = (group, chosen) =>
    chosen.map((scenario) => ({
      ...scenario,
      group,
      unit: "request",
      unitsPerRound: cut(scenario.count),
      measure: (target, upstream) => measureRequests(target, upstream, scenario, cut(scenario.count)),
    }));
  return [
    ...pacedScenarios.map((scenario) => ({
      ...scenario,
      group: "streams",
      unit: "delta",
      unitsPerRound: scenario.streams * scenario.spec.deltas,
      measure: (target, upstream) => measurePaced(target, upstream, scenario),
    })),
    ...burstScenarios.map((scenario) => ({
      ...scenario,
      group: "streams",
      unit: "delta",
      unitsPerRound: scenario.streams * scenario.spec.deltas * cut(2),
      measure: (target, upstream) => measureBurst(target, upstream, scenario, cut(2)),
    })),
    ...requests(
      "requests",
      requestScenarios.filter((scenario) => !isLong(scenario)),
    ),
    ...requests("histories", requestScenarios.filter(isLong)),
  ];
}

function isLong({ messages = 1 }) {
  return messages >= 200;
}

/** The warm-up of each group. Both sides of a ratio must be compiled and have filled caches, or the start is measured. */
const warmUps = {
  async requests(target, upstream, { requests }) {
    const shortOnes = requestScenarios.filter((scenario) => !isLong(scenario));
    const count = Math.ceil(requests / shortOnes.length);
    for (const scenario of shortOnes) await attempt(target, () => measureRequests(target, upstream, scenario, count));
  },
  streams: (target, upstream, { deltas }) => warmUpDeltas(target, upstream, deltas),
  async histories(target, upstream) {
    for (const scenario of requestScenarios.filter(isLong)) {
      await attempt(target, () => measureRequests(target, upstream, scenario, 4));
    }
  },
};

export async function warmUp(target, upstream, amounts, groups = Object.keys(warmUps)) {
  for (const group of groups) await warmUps[group](target, upstream, amounts);
}

async function warmUpDeltas(target, upstream, deltas) {
  for (let played = 0; played < deltas; ) {
    for (const scenario of burstScenarios) {
      await attempt(target, () => measureBurst(target, upstream, scenario));
      played += scenario.spec.deltas * scenario.streams;
    }
  }
  for (const scenario of pacedScenarios) await attempt(target, () => measurePaced(target, upstream, scenario));
}

/** Resolves with the reason when another gateway cannot play a scenario, such as a missing dialect. Our own programs must. */
async function attempt(target, work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (target.isOther !== true) throw error;
    return error.message;
  }
}

/**
 * Every round plays all of these scenarios, so that the rounds of each are far apart: whatever keeps a machine or a store busy for
 * some seconds affects one of them and not most. `onStep` is called with the progress. The result gives the reason for a target
 * that cannot play a scenario.
 */
export async function compareScenarios(targets, upstream, scenarios, rounds, onStep = () => {}) {
  const played = scenarios.map((scenario) => ({
    scenario,
    samples: new Map(targets.map(({ name }) => [name, []])),
    failures: {},
  }));
  for (let round = 0; round < rounds; round++) {
    for (const { scenario, samples, failures } of played) {
      onStep(`round ${round + 1} of ${rounds}: ${scenario.name}`);
      for (const target of rotate(targets, round)) {
        if (failures[target.name] !== undefined) continue;
        const failure = await attempt(target, async () => {
          samples.get(target.name).push(await scenario.measure(target, upstream));
        });
        if (failure !== undefined) failures[target.name] = failure;
      }
    }
  }
  return played.map(({ scenario: { name, title, unit }, samples, failures }) => {
    return { name, title, unit, targets: summarize(targets, samples), failures };
  });
}

const measures = ["cpuUs", "firstMs", "allocatedBytes", "readsAndWrites", "upstreamBytes"];

/** Each measure of each target, and its ratio to the first target's. */
export function summarize(targets, samples) {
  const first = samples.get(targets[0].name);
  return Object.fromEntries(
    targets.map(({ name }) => {
      const own = samples.get(name);
      const figures = {};
      for (const measure of measures) {
        const taken = own.map((sample) => sample[measure]);
        const figure = spread(taken);
        if (figure === undefined) continue;
        figures[measure] = figure;
        const ratio = ratioSpread(
          taken,
          first.map((sample) => sample[measure]),
        );
        if (ratio !== undefined) figures[`${measure}Ratio`] = ratio;
      }
      return [name, figures];
    }),
  );
}

/** How long one request blocks the event loop, for requests that could block it long. */
export async function compareStretches(targets, times) {
  const results = [];
  for (const scenario of stretchScenarios) {
    const longestMs = {};
    for (const target of targets) {
      if (target.askProbe !== undefined) longestMs[target.name] = await measureStretch(target, scenario, times);
    }
    results.push({ name: scenario.name, title: scenario.title, longestMs });
  }
  return results;
}

function rotate(list, by) {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}
