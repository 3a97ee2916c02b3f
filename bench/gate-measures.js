// The figures of the gate: those that hardly depend on how busy the machine is, and a few CPU figures relative to the ceiling.
import { comparedScenarios, warmUp } from "./compare.js";
import { growthScenario, measureRequests } from "./scenarios/requests.js";
import { growthExponent, median } from "./statistics.js";

const ROUNDS = 6;
const PROMISE_ROUNDS = 3;
const CPU_ROUNDS = 5;
const SHARE = 0.4;
const SIZES = [1_000, 8_000];
const BEST_OF = 8;

/** The figures of a scenario that are counted. */
const counted = {
  "short-chat": ["allocatedBytes", "readsAndWrites", "upstreamBytes", "runs", "promises"],
  "short-responses": ["allocatedBytes"],
  "short-messages": ["allocatedBytes"],
  "short-chat-whole": ["allocatedBytes"],
  "agent-new": ["allocatedBytes", "readsAndWrites", "upstreamBytes", "runs", "promises"],
  "agent-warm-20": ["allocatedBytes", "upstreamBytes", "runs", "promises"],
  "tool-result-chat": ["allocatedBytes", "upstreamBytes", "runs"],
  "tool-result-responses": ["allocatedBytes"],
  "tool-result-messages": ["allocatedBytes"],
  "history-200-cold": ["allocatedBytes", "upstreamBytes"],
  "history-200-warm": ["allocatedBytes", "upstreamBytes"],
  "paced-chat": ["allocatedBytes", "readsAndWrites", "promises"],
  "paced-responses": ["allocatedBytes", "promises"],
  "paced-messages": ["allocatedBytes", "promises"],
  "burst-chat": ["allocatedBytes", "promises"],
};
const besideCeiling = ["short-chat", "agent-new", "agent-warm-20", "paced-chat", "burst-chat"];

/** Every figure by its name, smaller is better. `onStep` is called with the next one. */
export async function takeMeasures({ upstream, ceiling, gateway }, onStep) {
  for (const target of [ceiling, gateway]) {
    onStep(`warms up: ${target.name}`);
    await warmUp(target, upstream, { requests: 2_400, deltas: 240_000 });
  }
  const scenarios = comparedScenarios(SHARE);
  const figures = await takeCounts(gateway, upstream, scenarios, onStep);
  for (const name of besideCeiling) {
    onStep(`${name}, CPU`);
    const scenario = scenarios.find((one) => one.name === name);
    figures[`${name} cpuRatio`] = await cpuRatio({ upstream, ceiling, gateway }, scenario);
  }
  for (const isWarm of [false, true]) {
    onStep(`growth, ${isWarm ? "warm" : "cold"}`);
    Object.assign(figures, await growth(gateway, upstream, isWarm));
  }
  return { ...figures, ...(await takePromises(gateway, upstream, scenarios, onStep)) };
}

/** The cheapest of several separate rounds counts, because a disturbance such as a sweep only makes a round more expensive. */
async function takeCounts(gateway, upstream, scenarios, onStep) {
  const figures = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, measures] of Object.entries(counted)) {
      onStep(`round ${round + 1} of ${ROUNDS}: ${name}`);
      const sample = await scenarios.find((one) => one.name === name).measure(gateway, upstream);
      for (const measure of measures) {
        if (measure === "promises") continue;
        const figure = `${name} ${measure}`;
        figures[figure] = Math.min(sample[measure], figures[figure] ?? Number.POSITIVE_INFINITY);
      }
    }
  }
  return figures;
}

/** Comes last, because code that was run with hooks on its promises stays slower. */
async function takePromises(gateway, upstream, scenarios, onStep) {
  const figures = {};
  for (const [name, measures] of Object.entries(counted)) {
    if (!measures.includes("promises")) continue;
    onStep(`${name}, promises`);
    const scenario = scenarios.find((one) => one.name === name);
    figures[`${name} promises`] = await promisesPerUnit(gateway, upstream, scenario);
  }
  return figures;
}

/** This figure shows one more promise per delta, which is too small to be visible in the bytes of a delta. */
async function promisesPerUnit(target, upstream, scenario) {
  let fewest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < PROMISE_ROUNDS; round++) {
    await target.askProbe("countPromises");
    await scenario.measure(target, upstream);
    const { madePromises } = await target.askProbe("promises");
    fewest = Math.min(fewest, madePromises / scenario.unitsPerRound);
  }
  return fewest;
}

/** The ratio is taken within each round, as in the bench, so that both sides have the same load. */
async function cpuRatio({ upstream, ceiling, gateway }, scenario) {
  const ratios = [];
  for (let round = 0; round < CPU_ROUNDS; round++) {
    const theirs = await scenario.measure(ceiling, upstream);
    const ours = await scenario.measure(gateway, upstream);
    ratios.push(ours.cpuUs / theirs.cpuUs);
  }
  return median(ratios);
}

/**
 * The exponent of growth between two lengths of a conversation: 1 is linear. The best of several requests counts, because a
 * disturbance only makes a request more expensive. Both lengths take turns, so that neither is measured before the code is compiled.
 */
async function growth(gateway, upstream, isWarm) {
  const samples = SIZES.map(() => []);
  for (let time = 0; time < BEST_OF; time++) {
    for (const [index, length] of SIZES.entries()) {
      samples[index].push(await measureRequests(gateway, upstream, growthScenario(length, { isWarm }), 1));
    }
  }
  const exponent = (measure) => {
    const [small, large] = samples.map((list) => Math.min(...list.map((sample) => sample[measure])));
    return growthExponent(SIZES[0], small, SIZES[1], large);
  };
  const name = `growth ${isWarm ? "warm" : "cold"}`;
  return {
    [`${name} cpuExponent`]: exponent("cpuUs"),
    [`${name} allocationExponent`]: exponent("allocatedBytes"),
  };
}
