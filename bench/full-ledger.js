// A ledger with a year's worth of requests, to measure what reading it takes.
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..");
const DAY_MS = 24 * 60 * 60 * 1_000;
const KEPT_DAYS = 90;
/** Fewer than the ledger holds in memory. */
export const CHUNK = 2_000;
const usage = {
  inputTokens: 21_000,
  outputTokens: 350,
  cacheReadTokens: 19_000,
  cacheWriteTokens: 900,
  reasoningTokens: 120,
  estimated: false,
};

/** The ledger's own code. */
export async function bundleLedger(folder) {
  const room = await bundle(folder);
  const open = (name) =>
    room.openLedger({
      gateway: "bench",
      folder: join(folder, name, "ledger"),

      clock: room.systemClock,
      keptDays: KEPT_DAYS,
      keepsTexts: false,
      onProblem: (problem) => console.error(problem),
    });
  /** Returns a function that plays a request. */
  const play = (id, startedMs, thread) => {
    const record = recordOf(room.RequestRecord, id, startedMs, thread);
    return () => {
      room.publish("curlew:request:received", record);
      room.publish("curlew:request:opened", record);
      room.publish("curlew:request:finished", record);
    };
  };
  return {
    open,
    play,
    openLedgerReader: room.openLedgerReader,
    searchInSlices: room.searchInSlices,
    fill: (name, entries) => fill(open, play, join(folder, name, "ledger"), name, entries),
  };
}

async function bundle(folder) {
  const entry = join(folder, "entry.js");
  const from = (path) => JSON.stringify(join(checkout, path));
  writeFileSync(
    entry,
    `export * from ${from("packages/meter/ledger/index.ts")};
export { publish, RequestRecord } from ${from("packages/gateway/turn/events/channels.ts")};
export { systemClock } from ${from("packages/gateway/system/clock.ts")};`,
  );
  const file = join(folder, "ledger.mjs");
  const made = await rolldown({ input: entry, platform: "node" });
  await made.write({ file, format: "esm", codeSplitting: false });
  return import(pathToFileURL(file).href);
}

function recordOf(RequestRecord, id, startedMs, thread) {
  return Object.assign(new RequestRecord("bench", id, startedMs), {
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

/** Spreads this many requests over the last three months, in the home of this name, with the sums of past days. */
async function fill(open, play, folder, name, entries) {
  const firstMs = Date.now() - (KEPT_DAYS - 1) * DAY_MS;
  const stepMs = ((KEPT_DAYS - 1) * DAY_MS) / entries;
  const ledger = open(name);
  for (let at = 0; at < entries; at++) {
    play(`req_${at}`, Math.floor(firstMs + at * stepMs), Math.floor(at / 20))();
  }
  await ledger.close();
  const next = open(name);
  const sumsOf = () => readdirSync(folder).filter((file) => file.endsWith(".sums")).length;
  while (sumsOf() < KEPT_DAYS - 1) await delay(500);
  await next.close();
}
