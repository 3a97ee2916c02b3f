// Measures what the page costs the gateway of a built checkout: node bench/page.js [ENTRIES] [ROUNDS]
// First the initial view, with a full ledger; then 500 requests a second while no page, one and four are open.
// CPU is that of all threads of the gateway by the kernel's counters (Linux only). Rounds differ only by the machine.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { send } from "./client.js";
import { dialects } from "./dialects.js";
import { bundleLedger } from "./full-ledger.js";
import { openPage } from "./open-page.js";
import { allowLoad, describeLoad, load, median, usedUs } from "./page-load.js";
import { start, startGateway, stop } from "./process.js";
import { shortRequest } from "./requests.js";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..");
const entries = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 12);
const { chat } = dialects;
/** The ledger moves what has ended within a second. */
const SETTLE_MS = 1_500;
const pageCounts = [0, 1, 4];

const folder = mkdtempSync(join(checkout, "node_modules", ".curlew-bench-"));
const upstream = await start("upstream/main.js");
try {
  const { fill } = await bundleLedger(folder);
  await fill("full", entries);
  mkdirSync(join(folder, "empty"));
  for (const name of ["empty", "full", "full"]) await measureFirstView(name);
  await measureLoad();
} finally {
  await stop(upstream);
  rmSync(folder, { recursive: true, force: true });
}

async function measureFirstView(name) {
  const home = join(folder, name);
  const gateway = await startGateway(upstream.url, home);
  try {
    await send(gateway, chat, shortRequest(chat, 0)); // a gateway in use has opened its ledger
    await delay(SETTLE_MS);
    const idleUs = await usedUs(gateway, () => delay(1_000));
    const page = await openPage(gateway, home);
    const results = [];
    for (const time of ["first", "second"]) {
      let live;
      const us = await usedUs(gateway, async () => {
        await Promise.all(["now", "plan", "requests"].map((path) => page.read(path)));
        live = await page.live();
        await delay(1_000);
      });
      live.leave();
      results.push(`${time} ${((us - idleUs) / 1_000).toFixed(0)} ms`);
      await delay(500);
    }
    const rest = [];
    for (const path of [
      "requests?failed=1",
      "requests?client=nobody",
      ...(name === "full" ? [`requests/req_${Math.floor(entries / 2)}`] : []),
      "usage?by=day&days=90",
      "clients",
    ]) {
      const us = await usedUs(gateway, () => page.read(path));
      rest.push(`${path} ${(us / 1_000).toFixed(0)} ms`);
    }
    console.log(`${name} ledger: first view (now, plan, requests, live) ${results.join(", ")}; ${rest.join(", ")}`);
  } finally {
    await stop(gateway);
  }
}

async function measureLoad() {
  const home = join(folder, "full");
  allowLoad(home);
  const gateway = await startGateway(upstream.url, home);
  try {
    const page = await openPage(gateway, home);
    await load(gateway, 0); // until everything is compiled
    const used = new Map(pageCounts.map((count) => [count, []]));
    for (let round = 0; round < rounds; round++) {
      for (const count of pageCounts) {
        const pages = await Promise.all(Array.from({ length: count }, () => page.live()));
        await delay(SETTLE_MS);
        const result = await load(gateway, round + 1);
        for (const each of pages) each.leave();
        used.get(count).push({ ...result, liveBytes: pages.reduce((sum, { bytes }) => sum + bytes(), 0) });
      }
    }
    for (const count of pageCounts) {
      const results = used.get(count);
      const liveKiB = median(results.map(({ liveBytes }) => liveBytes)) / 1024;
      console.log(`${count} pages: ${describeLoad(results, used.get(0))}; ${liveKiB.toFixed(0)} KiB to the pages`);
    }
  } finally {
    await stop(gateway);
  }
}
