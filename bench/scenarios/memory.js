// Measures the memory that a gateway holds for clients that keep it waiting: heap and buffers after a collection, because the
// size of the process grows in large steps and hardly ever shrinks.
import { send, stall } from "../client.js";
import { dialects } from "../dialects.js";
import { cpuUs } from "../process.js";
import { callingTurn, shortRequest } from "../requests.js";

const { chat } = dialects;
const PARALLEL = 50;
/** One interval of the heartbeats. The cheapest of several counts, because the store sweeps up after the replies that made the calls. */
const IDLE_MS = 5_000;
const IDLE_TIMES = 3;
const STALLED_READERS = 10;

/** Runs that wait for the results of a tool call, up to each of the counts; the target must be fresh. */
export async function measureParked(target, counts) {
  await park(target, 20); // first use allocates what is made only once
  const none = await target.askProbe("held");
  const levels = [];
  let parked = 0;
  for (const count of counts) {
    await park(target, count - parked);
    parked = count;
    await checkParked(target, count);
    const { heldBytes, rssBytes } = await target.askProbe("held");
    levels.push({
      count,
      heldKiBEach: (heldBytes - none.heldBytes) / 1_024 / count,
      rssMiB: rssBytes / 1_024 / 1_024,
      idleCpuPercent: await idleCpuPercent(target),
    });
  }
  return levels;
}

async function park(target, count) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      const { raw } = await send(target, chat, callingTurn(Math.random()));
      if (!raw.includes('"finish_reason":"tool_calls"')) throw new Error(`no call: ${raw.slice(-300)}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, count) }, worker));
}

/** Checks that all runs are parked, because a closed run costs nothing and would make the others look cheap. */
async function checkParked({ url }, count) {
  const { conversations } = await (await fetch(`${url}/health`)).json();
  if (conversations.parkedRuns < count) throw new Error(`of ${count} runs ${conversations.parkedRuns} are parked`);
}

async function idleCpuPercent({ pid }) {
  const samples = [];
  for (let time = 0; time < IDLE_TIMES; time++) {
    const before = cpuUs(pid);
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    samples.push((cpuUs(pid) - before) / 10 / IDLE_MS);
  }
  return Math.min(...samples);
}

/** Clients that read nothing of an endless reply, and one client that reads. */
export async function measureStalled(target) {
  await send(target, chat, shortRequest(chat, 0, { spec: { deltas: 20_000, chunk: 64 } }));
  const { heldBytes } = await target.askProbe("held");
  const endless = shortRequest(chat, 0, { spec: { deltas: 500_000, chunk: 64 } });
  const releases = await Promise.all(Array.from({ length: STALLED_READERS }, () => stall(target, chat, endless)));
  const after = await settled(target);
  const neighbour = await send(target, chat, shortRequest(chat, 0, { spec: { deltas: 2_000, chunk: 64 } }));
  for (const release of releases) release();
  return {
    heldKiBEach: (after.heldBytes - heldBytes) / 1_024 / STALLED_READERS,
    neighbourFirstMs: neighbour.firstMs,
  };
}

/** The memory that is held once the target has stopped reading from upstream, that is, when several samples are equal. */
async function settled(target) {
  let before = 0;
  for (let still = 0; ; ) {
    const now = await target.askProbe("held");
    still = Math.abs(now.heldBytes - before) < 64 * 1_024 ? still + 1 : 0;
    if (still === 4) return now;
    before = now.heldBytes;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
