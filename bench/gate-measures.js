// What the gate looks at: figures that hardly depend on how busy the machine is, and a few of CPU beside the ceiling's.
import { comparedScenarios, warmUp } from "./compare.js";
import { growthScenario, measureRequests } from "./scenarios/requests.js";
import { growthExponent, median } from "./statistics.js";

const ROUNDS = 3;
const CPU_ROUNDS = 5;
const SHARE = 0.4;
const SIZES = [1_000, 8_000];
const BEST_OF = 5;

/** Which of a scenario's figures are counted. */
const counted = {
  "short-chat": ["allocatedBytes", "readsAndWrites", "upstreamBytes", "promises"],
  "short-responses": ["allocatedBytes"],
  "short-messages": ["allocatedBytes"],
  "short-chat-whole": ["allocatedBytes"],
  "agent-new": ["allocatedBytes", "readsAndWrites", "upstreamBytes", "promises"],
  "agent-warm-20": ["allocatedBytes", "upstreamBytes", "promises"],
  "history-200-cold": ["allocatedBytes", "upstreamBytes"],
  "history-200-warm": ["allocatedBytes", "upstreamBytes"],
  "paced-chat": ["allocatedBytes", "readsAndWrites", "promises"],
  "paced-responses": ["allocatedBytes", "promises"],
  "paced-messages": ["allocatedBytes", "promises"],
  "burst-chat": ["allocatedBytes", "promises"],
};
const besideCeiling = ["short-chat", "agent-new", "agent-warm-20", "paced-chat", "burst-chat"];

/** Every figure by its name, smaller is better. `onStep` hears which comes next. */
export async function takeMeasures({ upstream, ceiling, gateway }, onStep) {
  for (const target of [ceiling, gateway]) {
    onStep(`warms up: ${target.name}`);
    await warmUp(target, upstream, { requests: 2_400, deltas: 240_000 });
  }
  const scenarios = comparedScenarios(SHARE);
  const figures = {};
  for (const [name, measures] of Object.entries(counted)) {
    onStep(name);
    const scenario = scenarios.find((one) => one.name === name);
    const samples = [];
    for (let round = 0; round < ROUNDS; round++) samples.push(await scenario.measure(gateway, upstream));
    for (const measure of measures) {
      figures[`${name} ${measure}`] =
        measure === "promises"
          ? await promisesPerUnit(gateway, upstream, scenario)
          : median(samples.map((sample) => sample[measure]));
    }
  }
  for (const name of besideCeiling) {
    onStep(`${name}, CPU`);
    const scenario = scenarios.find((one) => one.name === name);
    figures[`${name} cpuRatio`] = await cpuRatio({ upstream, ceiling, gateway }, scenario);
  }
  for (const isWarm of [false, true]) {
    onStep(`growth, ${isWarm ? "warm" : "cold"}`);
    Object.assign(figures, await growth(gateway, upstream, isWarm));
  }
  return figures;
}

/** The figure that sees one promise more for each delta: among the bytes of a delta it is too small to stand out. */
async function promisesPerUnit(target, upstream, scenario) {
  await target.askProbe("countPromises");
  await scenario.measure(target, upstream);
  const { madePromises } = await target.askProbe("promises");
  return madePromises / scenario.unitsPerRound;
}

/** The quietest round of each: what disturbs one only ever makes it dearer. */
async function cpuRatio({ upstream, ceiling, gateway }, scenario) {
  const least = async (target) => (await scenario.measure(target, upstream)).cpuUs;
  const ours = [];
  const theirs = [];
  for (let round = 0; round < CPU_ROUNDS; round++) {
    theirs.push(await least(ceiling));
    ours.push(await least(gateway));
  }
  return Math.min(...ours) / Math.min(...theirs);
}

/** Between two lengths of a conversation: 1 is linear. By CPU the best of some requests counts, as above. */
async function growth(gateway, upstream, isWarm) {
  const [small, large] = SIZES.map((length) => growthScenario(length, { isWarm }));
  const best = async (scenario) => {
    const samples = [];
    for (let time = 0; time < BEST_OF; time++) samples.push(await measureRequests(gateway, upstream, scenario, 1));
    return {
      cpuUs: Math.min(...samples.map(({ cpuUs }) => cpuUs)),
      allocatedBytes: median(samples.map(({ allocatedBytes }) => allocatedBytes)),
    };
  };
  const [smallUse, largeUse] = [await best(small), await best(large)];
  const exponent = (measure) => growthExponent(SIZES[0], smallUse[measure], SIZES[1], largeUse[measure]);
  const name = `growth ${isWarm ? "warm" : "cold"}`;
  return { [`${name} cpuExponent`]: exponent("cpuUs"), [`${name} allocationExponent`]: exponent("allocatedBytes") };
}
