// Measures what requests, deltas and waiting clients cost in the gateway, compared in the same run with a proxy that only
// copies bytes and with the minimum that a gateway must do. Ratios can be compared between machines, absolute figures cannot.
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { comparedScenarios, compareScenarios, compareStretches, warmUp } from "./compare.js";
import { commitOf, describeMachine } from "./machine.js";
import { stop } from "./process.js";
import { printTables } from "./report/tables.js";
import { measureServe, measureVersion } from "./scenarios/cold-start.js";
import { measureParked, measureStalled } from "./scenarios/memory.js";
import { measureOfficial } from "./scenarios/official.js";
import { measureStores } from "./scenarios/stores.js";
import { otherGateway, removeHome, startCeiling, startCurlew, startFloor, startUpstream } from "./targets/start.js";

const USAGE = `node bench/run.js [options] [checkout ...]
  --quick               about 4 minutes instead of 8
  --builds A B          compares the built checkouts A and B instead of this one
  --page                keeps the page of the last one open: --builds --page . . compares a build with itself
  --against URL         another gateway that speaks OpenAI's dialect; --against-name NAME and --against-note TEXT say what
                        it is, --against-pid PID is its process, --against-model NAME and --against-header 'NAME: VALUE'
                        what it wants to be asked with, and --upstream-ports A,B where it finds its upstream: A speaks
                        Cursor's protocol (HTTP/2), B OpenAI's (HTTP/1.1)
  --official            Cursor's own SDK beside the gateway, both on the simulator; fetches it from npm the first time
  --like plain|live     what the upstream is like: live, unless told (docs/guide/simulator.md)
  --only PATTERN        scenarios whose names match, and nothing else
  --rounds N            rounds of each comparison
  --name NAME           writes bench/results/NAME.json; "latest" is not kept in the repository
  --profile             writes CPU profiles of all targets into bench/results/profiles`;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    builds: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    against: { type: "string" },
    "against-name": { type: "string", default: "other" },
    "against-note": { type: "string", default: "" },
    "against-pid": { type: "string" },
    "against-model": { type: "string" },
    "against-header": { type: "string", multiple: true, default: [] },
    "upstream-ports": { type: "string", default: "0,0" },
    official: { type: "boolean", default: false },
    like: { type: "string", default: "live" },
    only: { type: "string" },
    rounds: { type: "string" },
    name: { type: "string", default: "latest" },
    profile: { type: "boolean", default: false },
    help: { type: "boolean" },
  },
});
if (flags.help || !["plain", "live"].includes(flags.like)) {
  console.log(USAGE);
  process.exit();
}

const OFFICIAL_TURNS = 30;
const root = fileURLToPath(new URL("..", import.meta.url));
const whole = {
  rounds: 15,
  share: 1,
  warmUp: { requests: 5_000, deltas: 1_000_000 },
  parked: [100, 1_000, 5_000],
  times: 9,
};
const quick = { rounds: 5, share: 0.4, warmUp: { requests: 1_500, deltas: 240_000 }, parked: [100, 1_000], times: 5 };
const stores = flags.quick ? [1_000] : [1_000, 10_000, 100_000];
const plan = { ...(flags.quick ? quick : whole), ...(flags.rounds && { rounds: Number(flags.rounds) }) };

const PROFILES_FOLDER = `${root}/bench/results/profiles`;
const nodeArgs = (name) => {
  const file = `${name.replaceAll(" ", "-")}.cpuprofile`;
  return flags.profile ? ["--cpu-prof", `--cpu-prof-dir=${PROFILES_FOLDER}`, `--cpu-prof-name=${file}`] : [];
};
const builds = flags.builds
  ? positionals.map((folder, index) => ({ name: `build ${"AB"[index] ?? index + 1}`, checkout: resolve(folder) }))
  : [{ name: "gateway", checkout: root }];

const upstream = await startUpstream(flags.like, flags["upstream-ports"].split(","));
const targets = [];
try {
  targets.push(await startCeiling(upstream, nodeArgs("ceiling")), await startFloor(upstream, nodeArgs("floor")));
  for (const build of builds) {
    const hasPage = flags.page && build === builds.at(-1);
    targets.push(await startCurlew(upstream, { ...build, nodeArgs: nodeArgs(build.name), hasPage }));
  }
  if (flags.against !== undefined) {
    targets.push(
      otherGateway({
        name: flags["against-name"],
        url: flags.against,
        model: flags["against-model"],
        headers: Object.fromEntries(flags["against-header"].map((line) => line.split(/:\s*(.*)/s, 2))),
        ...(flags["against-pid"] && { pid: Number(flags["against-pid"]) }),
      }),
    );
  }
  const result = {
    name: flags.name,
    date: new Date().toISOString(),
    mode: flags.quick ? "quick" : "whole",
    like: flags.like,
    rounds: plan.rounds,
    machine: describeMachine(),
    builds: builds.map((build) => ({
      name: build.name,
      commit: commitOf(build.checkout) + (flags.page && build === builds.at(-1) ? " with its page open" : ""),
    })),
    ...(flags.against !== undefined && { against: { name: flags["against-name"], note: flags["against-note"] } }),
    ...(await measureAll()),
  };
  mkdirSync(`${root}/bench/results`, { recursive: true });
  writeFileSync(`${root}/bench/results/${flags.name}.json`, `${JSON.stringify(result, null, 2)}\n`);
  printTables(result);
} finally {
  for (const target of targets) await target.stop({ isGentle: flags.profile });
  for (const target of targets) removeHome(target);
  await stop(upstream);
}

async function measureAll() {
  const scenarios = comparedScenarios(plan.share).filter(({ name }) => isWanted(name));
  const compared = [];
  for (const group of new Set(scenarios.map((scenario) => scenario.group))) {
    for (const target of targets) {
      progress(`warms up for ${group}: ${target.name}`);
      await warmUp(target, upstream, plan.warmUp, [group]);
    }
    const ofGroup = scenarios.filter((scenario) => scenario.group === group);
    compared.push(...(await compareScenarios(targets, upstream, ofGroup, plan.rounds, progress)));
  }
  return {
    scenarios: compared,
    ...(isWanted("stretch") && { stretches: await compareStretches(targets, plan.times) }),
    ...(isWanted("parked") && { parked: await perBuild((target) => measureParked(target, plan.parked)) }),
    ...(isWanted("stalled") && { stalled: await perBuild(measureStalled) }),
    ...(isWanted("stores") && { stores: await perCheckout((checkout) => measureStores(checkout, stores)) }),
    ...(flags.official && { official: await measureOfficial(builds[0].checkout, OFFICIAL_TURNS, flags.like) }),
    ...(isWanted("cold-start") && {
      coldStart: await perCheckout(async (checkout) => ({
        ...measureVersion(checkout, plan.times),
        ...(await measureServe(upstream, checkout, plan.times)),
      })),
    }),
  };
}

/** Measures each build in a fresh process, because memory is compared with that of an unused process. */
async function perBuild(measure) {
  return perCheckout(async (checkout, name) => {
    progress(`${measure.name || "memory"}: ${name}`);
    const target = await startCurlew(upstream, { checkout });
    try {
      return await measure(target);
    } finally {
      await target.stop();
      removeHome(target);
    }
  });
}

async function perCheckout(measure) {
  const results = {};
  for (const { name, checkout } of builds) results[name] = await measure(checkout, name);
  return results;
}

function isWanted(name) {
  return flags.only === undefined || new RegExp(flags.only).test(name);
}

function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
