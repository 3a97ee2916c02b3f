// Measures the page in a real browser, in front of a built gateway with a full ledger: node bench/page-browser.js [ENTRIES] [ROUNDS]
// The length of the page's tasks by view under 500 requests a second and while a megabyte streams into the playground, and what
// the open page costs the streams of others. Tasks are those of the page's main thread: by the clock, and by the CPU that they took,
// which other programs on the machine do not change. A task over 100 ms would be noticeable.
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";
import { bundleLedger } from "./full-ledger.js";
import { pageLink } from "./open-page.js";
import { allowLoad, describeLoad, load, usedUs } from "./page-load.js";
import { start, startGateway, stop } from "./process.js";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..");
const entries = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 6);
const views = ["Now", "Requests", "Usage", "Models", "Playground"];
/** The simulated model counts aloud, one number in each delta: a little more than a megabyte. */
const MEGABYTE = "[[stream 170000]]";
const SLOW_MS = 100;
/** What opening and closing a page costs is over after this. */
const SETTLE_MS = 1_500;
const PATIENCE_MS = 300_000;

const { module } = await runnerImport(join(checkout, "testing", "browser", "start-browser.ts"), {
  configFile: false,
  logLevel: "warn",
});
const folder = mkdtempSync(join(checkout, "node_modules", ".curlew-bench-"));
const home = join(folder, "full");
const upstream = await start("upstream/main.js");
const browser = await module.startBrowser();
try {
  await (await bundleLedger(folder)).fill("full", entries);
  allowLoad(home);
  const gateway = await startGateway(upstream.url, home);
  try {
    await load(gateway, 0); // until everything is compiled
    await measureViews(gateway);
    await compareStreams(gateway);
  } finally {
    await stop(gateway);
  }
  // The upstream of the bench has no models to choose from.
  const simulated = await startGateway(upstream.url, home, { settings: { CURLEW_BACKEND: "simulator" } });
  await measureMegabyte(simulated).finally(() => stop(simulated));
} finally {
  await browser.close();
  await stop(upstream);
  rmSync(folder, { recursive: true, force: true });
}

async function openPage({ url }) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(await pageLink(url, home));
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  return page;
}

async function show(page, name) {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await page.waitForFunction(() => document.querySelector(".loading") === null);
}

async function measureViews(gateway) {
  const page = await openPage(gateway);
  for (const name of views) {
    let us;
    const opening = await tasksDuring(page, async () => {
      us = await usedUs(gateway, () => show(page, name));
    });
    console.log(`${name}, opened: ${describe(opening)}; ${(us / 1_000).toFixed(0)} ms of the gateway's CPU`);
    const loaded = await tasksDuring(page, () => load(gateway, `${name} open`));
    const elements = await page.evaluate(() => document.querySelectorAll("*").length);
    console.log(`${name}, under load: ${describe(loaded)}; ${elements} elements`);
  }
  await page.close();
}

async function measureMegabyte(gateway) {
  const page = await openPage(gateway);
  await show(page, "Playground");
  await page.getByLabel("Message", { exact: true }).fill(MEGABYTE);
  const tasks = await tasksDuring(page, async () => {
    await page.getByRole("button", { name: "Send", exact: true }).click();
    // It is drawn in slices, the last of them after it has arrived.
    await page.waitForFunction((least) => {
      const reply = document.querySelector("article[aria-busy=false].playground-reply");
      return reply !== null && reply.textContent.length >= least;
    }, 1024 ** 2);
  });
  const chars = await page.locator("article.playground-reply").evaluate((reply) => reply.textContent.length);
  console.log(`a reply of ${(chars / 1024 ** 2).toFixed(2)} MiB in the playground: ${describe(tasks)}`);
  await page.close();
}

/**
 * Rounds with and without a page alternate, because a busy machine makes both more expensive. The browser uses the machine too:
 * bench/page.js has a page without one.
 */
async function compareStreams(gateway) {
  const results = { without: [], with: [] };
  for (let round = 0; round < rounds; round++) {
    await delay(SETTLE_MS);
    results.without.push(await load(gateway, `without ${round}`));
    const page = await openPage(gateway);
    await delay(SETTLE_MS);
    results.with.push(await load(gateway, `with ${round}`));
    await page.close();
  }
  console.log(`no page: ${describeLoad(results.without, results.without)}`);
  console.log(`a browser on Now: ${describeLoad(results.with, results.without)}`);
}

/** The tasks of the page's main thread during `work`. */
async function tasksDuring(page, work) {
  await browser.startTracing(page, { categories: ["devtools.timeline", "toplevel", "__metadata"] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString("utf8"));
  const threads = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const tasks = traceEvents.filter(({ name, ph }) => ph === "X" && name.endsWith("RunTask"));
  const ofThread = threads.map(({ pid, tid }) => tasks.filter((task) => task.pid === pid && task.tid === tid));
  // A browser has other pages too, such as the empty one that it starts with: ours is the one that works.
  return ofThread.sort((one, other) => busyMs(other) - busyMs(one))[0] ?? [];
}

function describe(tasks) {
  const most = (name) => Math.max(0, ...tasks.map((task) => (task[name] ?? 0) / 1_000)).toFixed(0);
  const slow = tasks.filter(({ dur }) => dur / 1_000 > SLOW_MS).length;
  return `longest task ${most("dur")} ms (${most("tdur")} ms of CPU), ${slow} over ${SLOW_MS} ms, ${busyMs(tasks).toFixed(0)} ms of CPU in all`;
}

function busyMs(tasks) {
  return tasks.reduce((sum, { tdur = 0 }) => sum + tdur / 1_000, 0);
}
