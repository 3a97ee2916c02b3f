// The resources that a target used between two moments: CPU and system calls by the kernel's counters, allocations by the
// target's own probe, bytes that reached the upstream. For a target that is not our child only the time to first byte is known.
import { ask, cpuUs, readsAndWrites } from "./process.js";

export async function startMeter(target, upstream) {
  const before = await readProbe(target);
  const beforeUpstream = await ask(upstream.child, "counts");
  const beforeKernel = readKernel(target);
  return {
    async stop() {
      const kernel = readKernel(target);
      const { receivedBytes, playedDeltas, runs } = await ask(upstream.child, "counts");
      const { allocatedBytes } = await readProbe(target);
      return {
        cpuUs: kernel.cpuUs - beforeKernel.cpuUs,
        readsAndWrites: kernel.calls - beforeKernel.calls,
        allocatedBytes: allocatedBytes - before.allocatedBytes,
        upstreamBytes: receivedBytes - beforeUpstream.receivedBytes,
        runs: runs - beforeUpstream.runs,
        playedDeltas: playedDeltas - beforeUpstream.playedDeltas,
      };
    },
  };
}

/** The use per request or delta. */
export function perUnit({ playedDeltas: _, ...used }, count) {
  return Object.fromEntries(Object.entries(used).map(([name, value]) => [name, value / count]));
}

async function readProbe({ askProbe }) {
  return askProbe === undefined ? { allocatedBytes: Number.NaN } : askProbe("allocated");
}

function readKernel({ pid }) {
  if (pid === undefined) return { cpuUs: Number.NaN, calls: Number.NaN };
  return { calls: readsAndWrites(pid), cpuUs: cpuUs(pid) };
}
