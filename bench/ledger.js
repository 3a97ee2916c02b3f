// Measures the ledger without the gateway: node --expose-gc --max-semi-space-size=256 bench/ledger.js [ENTRIES]
// What a request costs on its way and when it is moved, how long that blocks the event loop, and what reading a full ledger takes.
// With a built dist/, also the CPU time of `curlew usage` on it, the start of the process included.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { Stretches } from "./scenarios/stretches.js";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..");
const entries = Number(process.argv[2] ?? 100_000);
const DAY_MS = 24 * 60 * 60 * 1_000;
const KEPT_DAYS = 90;
/** Fewer than the ledger holds in memory. */
const CHUNK = 2_000;
/** A move begins a second after a request has ended. */
const MOVED_MS = 1_600;
const usage = {
  inputTokens: 21_000,
  outputTokens: 350,
  cacheReadTokens: 19_000,
  cacheWriteTokens: 900,
  reasoningTokens: 120,
  estimated: false,
};

// The folder is below the checkout, so that the bundle finds lmdb there.
const folder = mkdtempSync(join(checkout, "node_modules", ".curlew-bench-"));
try {
  const { openLedger, openLedgerReader, newRecord, publish } = await bundleLedger();
  const clock = await import(pathToFileURL(join(folder, "ledger.mjs")).href).then((room) => room.systemClock);
  const open = (name) =>
    openLedger({
      gateway: "bench",
      folder: join(folder, name, "ledger"),
      formerFolder: join(folder, name, "state", "usage"),
      clock,
      keptDays: KEPT_DAYS,
      keepsTexts: false,
      onProblem: (problem) => console.error(problem),
    });
  const play = (id, startedMs, thread) => {
    const record = recordOf(newRecord, id, startedMs, thread);
    return () => {
      publish("curlew:request:received", record);
      publish("curlew:request:opened", record);
      publish("curlew:request:finished", record);
    };
  };

  await measureRequests(open, play);
  await fill(open, play);
  console.log(`file: ${(statSync(join(folder, "full", "ledger", "data.mdb")).size / 1024 ** 2).toFixed(0)} MiB`);
  await measureReading(openLedgerReader);
  measureCommand();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function bundleLedger() {
  const entry = join(folder, "entry.js");
  const from = (path) => JSON.stringify(join(checkout, path));
  writeFileSync(
    entry,
    `export * from ${from("src/ledger/index.ts")};
export { newRecord, publish } from ${from("src/events/index.ts")};
export { systemClock } from ${from("src/clock.ts")};`,
  );
  const file = join(folder, "ledger.mjs");
  const bundle = await rolldown({ input: entry, platform: "node", external: ["lmdb"] });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  return import(pathToFileURL(file).href);
}

function recordOf(newRecord, id, startedMs, thread) {
  return Object.assign(newRecord("bench", id, startedMs), {
    client: ["opencode", "claude-code", "cline"][thread % 3],
    caller: "0123456789abcdef",
    dialect: "openai-chat",
    askedModel: "auto",
    stream: true,
    bodyBytes: 1_200,
    model: ["Auto", "Sonnet 4.5", "GPT-5.5"][thread % 3],
    backend: "agent",
    thread: `thread-${thread}`,
    continuity: "warm",
    plannedMs: startedMs + 1,
    openedMs: startedMs + 2,
    firstByteMs: startedMs + 3,
    endedMs: startedMs + 10,
    usage,
    turnUsage: usage,
    runs: 1,
    sentBytes: 2_000,
    receivedBytes: 4_000,
    bytes: 900,
    batches: 4,
    status: 200,
  });
}

async function measureRequests(open, play) {
  const ledger = open("requests");
  const round = async (count, isSameThread) => {
    const now = Date.now();
    const plays = Array.from({ length: count }, (_, at) =>
      play(`req_${at}_${Math.random()}`, now + at, isSameThread ? 1 : at),
    );
    globalThis.gc?.();
    const way = cost(() => {
      for (const each of plays) each();
    });
    return { way, moved: await costOf(() => delay(MOVED_MS)) };
  };
  const idle = await costOf(() => delay(MOVED_MS));
  await round(CHUNK, false);
  for (const isSameThread of [false, false, true, true]) {
    const { way, moved } = await round(CHUNK, isSameThread);
    const per = ({ cpuUs, bytes }) => `${(cpuUs / CHUNK).toFixed(1)} us and ${(bytes / CHUNK).toFixed(0)} B`;
    const rest = { cpuUs: moved.cpuUs - idle.cpuUs, bytes: moved.bytes - idle.bytes };
    const threads = isSameThread ? "one thread" : "a thread each";
    console.log(`a request, ${threads}: ${per(way)} on its way, ${per(rest)} when it is moved (CPU of all threads)`);
  }
  for (let at = 0; at < CHUNK; at++) play(`stretch_${at}`, Date.now() + at, at)();
  const stretches = new Stretches();
  await stretches.during("move", () => delay(MOVED_MS));
  console.log(`the longest stretch of a move: ${stretches.longestMs.move.toFixed(1)} ms`);
  await ledger.close();
}

async function costOf(work) {
  const before = snapshot();
  await work();
  return since(before);
}

async function fill(open, play) {
  const firstMs = Date.now() - (KEPT_DAYS - 1) * DAY_MS;
  const stepMs = ((KEPT_DAYS - 1) * DAY_MS) / entries;
  for (let done = 0; done < entries; done += CHUNK) {
    const ledger = open("full");
    for (let at = done; at < Math.min(entries, done + CHUNK); at++) {
      play(`req_${at}`, Math.floor(firstMs + at * stepMs), Math.floor(at / 20))();
    }
    await ledger.close();
  }
}

async function measureReading(openLedgerReader) {
  const before = snapshot();
  const reader = await openLedgerReader(join(folder, "full", "ledger"));
  console.log(`opened: ${(since(before).cpuUs / 1_000).toFixed(1)} ms`);
  const now = Date.now() + DAY_MS;
  const shown = {
    "90 days by day": () => reader.rollUps("day", 0, now),
    "90 days by hour": () => reader.rollUps("hour", 0, now),
    "100 entries": () => reader.entries({ limit: 100 }),
    "one entry by its id": () => [reader.entry("req_7")],
    "all entries": () => reader.entries({ limit: entries }),
  };
  for (const [what, read] of Object.entries(shown)) {
    let found;
    const { cpuUs } = cost(() => {
      found = read();
    });
    console.log(`${what}: ${found.length} rows, ${(cpuUs / 1_000).toFixed(1)} ms`);
  }
  await reader.close();
}

function measureCommand() {
  const program = join(checkout, "dist", "main.js");
  if (!existsSync(program)) return;
  const report =
    "data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stderr.write('CPU '+(user+system)/1000+' ms')})";
  const usageArgs = ["usage", "--days", "90", "--json"];
  for (const [home, ...args] of [
    ["empty", "--version"],
    ["empty", ...usageArgs],
    ["full", ...usageArgs],
  ]) {
    const { stderr } = spawnSync(process.execPath, [`--import=${report}`, program, ...args], {
      env: { PATH: process.env.PATH, CURLEW_HOME: join(folder, home) },
      encoding: "utf8",
    });
    console.log(`curlew ${args.join(" ")}, ${home} ledger: ${/CPU .*/.exec(stderr)?.[0]}`);
  }
}

function cost(work) {
  const before = snapshot();
  work();
  return since(before);
}

function snapshot() {
  return { cpu: process.cpuUsage(), heap: process.memoryUsage().heapUsed };
}

function since({ cpu, heap }) {
  const bytes = process.memoryUsage().heapUsed - heap;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuUs: user + system, bytes };
}
