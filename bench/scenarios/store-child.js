// Fills a store and measures it: node store-child.js BUNDLE FOLDER COUNT
import { hash, randomBytes } from "node:crypto";
import { message } from "../upstream/wire.js";

const [bundle, folder, countText] = process.argv.slice(2);
const count = Number(countText);
const { openStore } = await import(bundle);
const OWNER = "bench";
const LOOKS = 1_000;

const first = await open();
const fillUs = await cpuUs(() => fill(first.store));
const everyNth = Math.max(1, Math.floor(count / LOOKS));
const looks = Math.floor(count / everyNth);
const hitUs = await cpuUs(() => {
  for (let at = 0; at < looks; at++) {
    if (first.store.getCheckpoint(OWNER, keyOf(at * everyNth)) === undefined) throw new Error("a checkpoint is gone");
  }
});
const missUs = await cpuUs(() => {
  for (let at = 0; at < looks; at++) first.store.getCheckpoint(OWNER, `not-${at}`);
});
await first.store.close();

let again;
const openUs = await cpuUs(async () => {
  again = await open();
});
const sweep = sweepSlices(again.store);
await again.store.close();
process.send({
  count,
  putUs: fillUs / count,
  getUs: hitUs / looks,
  missUs: missUs / looks,
  openMs: openUs / 1_000,
  ...sweep,
});
process.disconnect();

function open() {
  return openStore({ folder, now: Date.now });
}

function keyOf(index) {
  return hash("sha256", `conversation ${index}`, "hex");
}

async function fill(store) {
  for (let index = 0; index < count; index++) {
    const ids = [randomBytes(300), randomBytes(300)].map((data) => {
      const id = hash("sha256", data, "buffer");
      store.putBlob(OWNER, id, data);
      return message(1, id);
    });
    const state = Buffer.concat(ids);
    const kept = store.putCheckpoint(OWNER, keyOf(index), {
      state,
      conversationId: `c${index}`,
      phase: "settled",
      calls: [],
      memo: "{}",
    });
    if (kept === false) throw new Error(`checkpoint ${index} was not kept`);
    if (index % 1_000 === 0) await store.flush();
  }
  await store.flush();
}

/** Runs all slices of one sweep. The longest slice is how long streams would pause. */
function sweepSlices(store) {
  const slicesMs = [];
  for (let isDone = false; !isDone; ) {
    const startedMs = performance.now();
    const before = process.cpuUsage();
    ({ isDone } = store.sweep(Date.now()));
    const { user, system } = process.cpuUsage(before);
    slicesMs.push(Math.min(performance.now() - startedMs, (user + system) / 1_000));
  }
  return { sweepLongestMs: Math.max(...slicesMs), sweepMs: slicesMs.reduce((sum, ms) => sum + ms, 0) };
}

async function cpuUs(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
