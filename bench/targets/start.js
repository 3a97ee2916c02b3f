// The processes that are compared in one run, each with the probe in it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPage } from "../open-page.js";
import { ask, start, startGateway, stop } from "../process.js";

/** No parked run is closed, however many a scenario parks. */
const constants = { maxParkedRuns: 100_000 };
const settings = { CURLEW_MAX_PARKED_RUNS: "100000" };

/** The limits for people must neither delay nor warn a scenario. */
const far = { tokens: 1_000_000_000_000, requests: 1_000_000_000_000 };
const limits = { conversation: far, hour: far, day: far, client: { concurrent: 1_000_000, perMinute: 1_000_000_000 } };

/** Starts the upstream, on these ports or on free ones: Cursor's protocol on the first, the clients' dialects on the second. */
export function startUpstream(like = "live", ports = ["0", "0"]) {
  return start("./upstream/main.js", { args: [...ports, like] });
}

export async function startCeiling(upstream, nodeArgs) {
  const started = await start("./targets/ceiling.js", { args: [upstream.url], isProbed: true, nodeArgs });
  return target("ceiling", started);
}

export async function startFloor(upstream, nodeArgs) {
  const started = await start("./targets/floor.js", { args: [upstream.url], isProbed: true, nodeArgs });
  return target("floor", started);
}

/** With `hasPage`, its page stays open. */
export async function startCurlew(upstream, { name = "gateway", checkout, nodeArgs, hasPage = false } = {}) {
  const home = mkdtempSync(join(tmpdir(), "curlew-bench-"));
  writeFileSync(join(home, "limits.json"), JSON.stringify(limits), { mode: 0o600 });
  const started = await startGateway(upstream.url, home, { checkout, constants, settings, nodeArgs, isProbed: true });
  if (hasPage) await (await openPage(started, home)).live();
  return { ...target(name, started), home, checkout, isCurlew: true };
}

/** A gateway that the bench did not start. Its CPU and system calls are known if its process id is; its allocations never are. */
export function otherGateway({ name, url, pid, headers, model }) {
  return { name, url, pid, headers, model, isOther: true, stop: async () => {} };
}

function target(name, { child, url }) {
  return {
    name,
    url,
    pid: child.pid,
    askProbe: (question) => ask(child, question),
    /** Stops the process. With `isGentle` it can write its profile first. */
    async stop({ isGentle = false } = {}) {
      if (isGentle) {
        const gone = new Promise((resolve) => child.once("exit", resolve));
        child.send("exit");
        await gone;
      } else await stop({ child });
    },
  };
}

export function removeHome({ home }) {
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
}
