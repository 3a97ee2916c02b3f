// Measures what the page costs the gateway of a built checkout: node bench/page.js [ENTRIES] [ROUNDS]
// First the view that somebody sees first, with a full ledger; then 500 requests a second while no page, one and four are open.
// CPU is that of all threads of the gateway by the kernel's counters (Linux only). What differs between rounds is the machine.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { send } from "./client.js";
import { dialects } from "./dialects.js";
import { bundleLedger } from "./full-ledger.js";
import { cpuUs, start, startGateway, stop } from "./process.js";
import { shortRequest } from "./requests.js";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..");
const entries = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 12);
const { chat } = dialects;
const RATE = 500;
const STEP_MS = 10;
const ROUND_MS = 3_000;
/** The ledger moves what has ended within a second. */
const SETTLE_MS = 1_500;
const paced = { streams: 8, spec: { deltas: 500, chunk: 1, pause: 5 } };
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
  // By default, no client may ask so often.
  writeFileSync(
    join(home, "limits.json"),
    JSON.stringify({ client: { perMinute: 200 * RATE, concurrent: 10 * RATE } }),
  );
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
    for (const count of pageCounts) report(count, used.get(count), used.get(0));
  } finally {
    await stop(gateway);
  }
}

/** Rounds are compared with the one beside them without a page, because a busy machine makes all of them dearer for a while. */
function report(count, results, without) {
  const middle = (name) => median(results.map((result) => result[name]));
  const more = (name) => median(results.map((result, round) => result[name] - without[round][name])).toFixed(1);
  console.log(
    `${count} pages: ${middle("usPerRequest").toFixed(0)} us a request at ${middle("rate").toFixed(0)} a second, ` +
      `${more("usPerRequest")} more than without; ${middle("gapMs").toFixed(1)} ms between two deltas, of a hundred one over ` +
      `${middle("slowGapMs").toFixed(1)} ms, ${more("slowGapMs")} more; ${(middle("liveBytes") / 1024).toFixed(0)} KiB to the pages`,
  );
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

/** Short requests at a fixed rate, and beside them streams at the pace of a model. */
async function load(gateway, round) {
  const gaps = [];
  const streams = Array.from({ length: paced.streams }, (_, index) => {
    let lastMs;
    return send(gateway, chat, shortRequest(chat, `paced ${round} ${index}`, { spec: paced.spec }), () => {
      const nowMs = performance.now();
      if (lastMs !== undefined) gaps.push(nowMs - lastMs);
      lastMs = nowMs;
    });
  });
  await delay(200);
  const requests = [];
  const beginMs = performance.now();
  const us = await usedUs(gateway, async () => {
    for (let elapsedMs = 0; elapsedMs < ROUND_MS; elapsedMs = performance.now() - beginMs) {
      const due = Math.floor((elapsedMs * RATE) / 1_000);
      while (requests.length < due) {
        const sent = send(gateway, chat, shortRequest(chat, `${round} ${requests.length}`, { spec: { deltas: 4 } }));
        sent.catch(() => {}); // told when all are waited for
        requests.push(sent);
      }
      await delay(STEP_MS);
    }
    await Promise.all(requests);
  });
  const tookMs = performance.now() - beginMs;
  await Promise.all(streams);
  gaps.sort((one, other) => one - other);
  return {
    usPerRequest: us / requests.length,
    rate: (requests.length / tookMs) * 1_000,
    gapMs: gaps[Math.floor(gaps.length / 2)],
    slowGapMs: gaps[Math.floor(gaps.length * 0.99)],
  };
}

async function usedUs({ child }, work) {
  const before = cpuUs(child.pid);
  await work();
  return cpuUs(child.pid) - before;
}

/** Opens the page as a browser does with the link of `curlew dashboard`. */
async function openPage({ url }, home) {
  const { token } = JSON.parse(readFileSync(join(home, "run", `${new URL(url).port}.json`), "utf8"));
  const made = await fetch(`${url}/curlew/page-link`, { method: "POST", headers: { "x-curlew-control": token } });
  const link = new URL((await made.json()).url).hash.replace("#open=", "");
  const opened = await fetch(`${url}/admin/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ link }),
  });
  const [cookie] = opened.headers.get("set-cookie").split(";");
  const headers = { cookie, "x-curlew-page": (await opened.json()).proof, "sec-fetch-site": "same-origin" };
  return {
    async read(path) {
      const answer = await fetch(`${url}/admin/api/${path}`, { headers });
      const body = await answer.json();
      if (!answer.ok) throw new Error(`${path}: ${body.error.message}`);
      return body;
    },
    /** Resolves with the first message. */
    live: () =>
      new Promise((resolve, reject) => {
        let bytes = 0;
        const asked = get(`${url}/admin/api/live`, { headers, agent: false }, (answer) => {
          answer.on("error", () => {});
          answer.on("data", (piece) => {
            bytes += piece.length;
            resolve({ bytes: () => bytes, leave: () => asked.destroy() });
          });
        });
        asked.on("error", reject);
      }),
  };
}
