// Loaded into every process that is measured. It answers its parent: what was allocated so far, what is held once the
// garbage is gone, how many promises were made, and how long the event loop was kept busy without a break.
import { PerformanceObserver } from "node:perf_hooks";
import { GCProfiler, promiseHooks } from "node:v8";

const answers = { allocated, held, watch, longest, countPromises, promises, exit: () => process.exit(0) };
process.on("message", (question) => {
  const answer = answers[question]?.();
  if (answer !== undefined) process.send(answer);
});
process.channel?.unref();

let profiler = new GCProfiler();
profiler.start();
let allocatedBytes = 0;
let usedBytes = process.memoryUsage().heapUsed;

/**
 * All that was ever put on the heap. Between two collections the heap only grows, so what came is what each collection
 * found over what the one before it left.
 */
function allocated() {
  for (const { beforeGC, afterGC } of profiler.stop().statistics) {
    allocatedBytes += beforeGC.heapStatistics.usedHeapSize - usedBytes;
    usedBytes = afterGC.heapStatistics.usedHeapSize;
  }
  profiler = new GCProfiler();
  profiler.start();
  const nowBytes = process.memoryUsage().heapUsed;
  allocatedBytes += nowBytes - usedBytes;
  usedBytes = nowBytes;
  return { allocatedBytes };
}

function held() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heldBytes: heapUsed + external, rssBytes: rss };
}

let longestMs = 0;
let collectedMs = 0;
let isWatching = false;
const collections = new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collectedMs += duration;
});

/** From now on the loop never sleeps, and every turn of it is timed. */
function watch() {
  isWatching = true;
  longestMs = 0;
  collections.observe({ entryTypes: ["gc"] });
  let wallMs = performance.now();
  let cpu = process.cpuUsage();
  const turn = () => {
    const nowMs = performance.now();
    const used = process.cpuUsage(cpu);
    collectedMs += collections.takeRecords().reduce((sum, { duration }) => sum + duration, 0);
    // Waiting for a core is in the one, the threads beside this one are in the other: the smaller is nearer the truth.
    const busyMs = Math.min(nowMs - wallMs, (used.user + used.system) / 1_000) - collectedMs;
    longestMs = Math.max(longestMs, busyMs);
    collectedMs = 0;
    wallMs = nowMs;
    cpu = process.cpuUsage();
    if (isWatching) setImmediate(turn);
  };
  setImmediate(turn);
  return {};
}

function longest() {
  isWatching = false;
  collections.disconnect();
  return { longestMs };
}

let madePromises = 0;
let stopCounting = () => {};

/** Code runs slower while they are counted, so nothing else is measured then. */
function countPromises() {
  madePromises = 0;
  stopCounting = promiseHooks.onInit(() => {
    madePromises++;
  });
  return {};
}

function promises() {
  stopCounting();
  return { madePromises };
}
