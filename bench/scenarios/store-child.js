// Fills and measures a store: node store-child.js BUNDLE FOLDER COUNT fill|reopen
// The first process fills a store, measures it and waits to be killed. The second opens what was left.
import { hash, randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { message } from "../upstream/wire.js";
import { Stretches } from "./stretches.js";

const [bundle, folder, countText, phase] = process.argv.slice(2);
const count = Number(countText);
const { newLineage, openStore } = await import(bundle);
const OWNER = "bench";
const LOOKS = 1_000;
const MAX_BYTES = 4 * 1024 ** 3;
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

const measure = { fill: measureFilling, reopen: measureReopening }[phase];
process.send(await measure());
if (phase === "reopen") process.disconnect();

async function measureFilling() {
  const store = await open();
  const fillUs = await cpuUs(() => fill(store, 0, count));
  const keys = Array.from({ length: Math.min(LOOKS, count) }, (_, at) => keyOf(Math.floor((at * count) / LOOKS)));
  const hitUs = await cpuUs(() => {
    for (const key of keys) if (store.get(OWNER, key) === undefined) throw new Error("a checkpoint is gone");
  });
  const missUs = await cpuUs(() => {
    for (const key of keys) store.get(OWNER, `not-${key}`);
  });
  await store.flush();

  const stretches = new Stretches();
  const sweepMs = await stretches.during("first sweep", () => sweepAll(store));
  await stretches.during("put", () => fill(store, count, count + LOOKS, setImmediate));
  await stretches.during("get", async () => {
    for (const key of keys) {
      store.get(OWNER, key);
      await setImmediate();
    }
    await store.flush();
  });
  const { longestMs } = stretches;
  return { putUs: fillUs / count, getUs: hitUs / keys.length, missUs: missUs / keys.length, sweepMs, longestMs };
}

async function measureReopening() {
  await import("lmdb"); // loading the library is a part of every start, and no part of the store
  const stretches = new Stretches();
  let store;
  let openUs;
  await stretches.during("open after a kill", async () => {
    openUs = await cpuUs(async () => {
      store = await open();
    });
  });
  const laterSweepMs = await stretches.during("later sweep", () => sweepAll(store));
  const { bytes } = store.stats();
  await store.close();
  await stretches.during("over its limit", () => shrink(Math.floor(bytes * 0.75)));
  store = await open();
  await stretches.during("all too old", () => sweepAll(store, Date.now() + YEAR_MS));
  await store.close();
  return { openMs: openUs / 1_000, laterSweepMs, longestMs: stretches.longestMs };
}

async function open(maxBytes = MAX_BYTES) {
  return (await openStore({ folder, now: Date.now, maxBytes })).store;
}

function keyOf(index) {
  return hash("sha256", `conversation ${index}`, "hex");
}

/** Puts conversations with one checkpoint and two blobs each. With `pause`, each is put in a turn of the event loop of its own. */
async function fill(store, from, to, pause) {
  for (let index = from; index < to; index++) {
    const lineage = newLineage();
    const ids = [randomBytes(300), randomBytes(300)].map((data) => {
      const id = hash("sha256", data, "buffer");
      store.putBlob(OWNER, lineage, id, data);
      return message(1, id);
    });
    const names = [keyOf(index), `bare ${keyOf(index)}`, `first ${keyOf(index)}`];
    const kept = store.put(OWNER, lineage, { names, text: "{}", bytes: Buffer.concat(ids) });
    if (kept === false) throw new Error(`checkpoint ${index} was not kept`);
    await pause?.();
    if (index % 1_000 === 0) await store.flush();
  }
  await store.flush();
}

/**
 * Runs all slices of one sweep, and returns their CPU time in ms. The disk keeps pace, as it does with the rests that a store takes
 * between its own slices.
 */
async function sweepAll(store, nowMs = Date.now()) {
  let sweepUs = 0;
  for (let isDone = false, slice = 1; !isDone; slice++) {
    sweepUs += await cpuUs(() => {
      ({ isDone } = store.sweep(nowMs));
    });
    await setImmediate();
    if (slice % 10 === 0) await store.flush();
  }
  await store.flush();
  return sweepUs / 1_000;
}

/** Opens the store with a lower limit, and waits until it has dropped what is above. */
async function shrink(maxBytes) {
  const store = await open(maxBytes);
  store.sweep(Date.now()); // the store does the later slices by itself
  while ((store.stats()?.bytes ?? Number.POSITIVE_INFINITY) > maxBytes) await setImmediate();
  await store.close();
}

async function cpuUs(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
