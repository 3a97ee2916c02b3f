// Loaded into every process that is measured. It reports to its parent: the bytes allocated so far, the bytes held after a
// collection, the number of promises made, and the longest uninterrupted work of the event loop.
import { PerformanceObserver } from "node:perf_hooks";
import { GCProfiler, promiseHooks } from "node:v8";
import { mainThreadCpuMs } from "../main-thread.js";

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
 * The bytes ever allocated on the heap. Between two collections the heap only grows, so this is the sum over all collections of the
 * heap before the collection minus the heap after the previous one.
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

/** Keeps the event loop from sleeping, and times every turn of it. */
function watch() {
  isWatching = true;
  longestMs = 0;
  collections.observe({ entryTypes: ["gc"] });
  let beforeMs = mainThreadCpuMs();
  const turn = () => {
    const nowMs = mainThreadCpuMs();
    collectedMs += collections.takeRecords().reduce((sum, { duration }) => sum + duration, 0);
    longestMs = Math.max(longestMs, nowMs - beforeMs - collectedMs);
    collectedMs = 0;
    beforeMs = nowMs;
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

/** Counts promises. Code runs slower meanwhile, so nothing else is measured at the same time. */
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
