// Five hundred requests a second beside a few streams, to measure what an open page costs.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { send } from "./client.js";
import { dialects } from "./dialects.js";
import { cpuUs } from "./process.js";
import { shortRequest } from "./requests.js";

const { chat } = dialects;
const RATE = 500;
const STEP_MS = 10;
const ROUND_MS = 3_000;
const paced = { streams: 8, spec: { deltas: 500, chunk: 1, pause: 5 } };

/** The default limits refuse this rate. */
export function allowLoad(home) {
  const limits = { client: { perMinute: 200 * RATE, concurrent: 10 * RATE } };
  writeFileSync(join(home, "limits.json"), JSON.stringify(limits));
}

/** Short requests at a fixed rate, and beside them streams at the pace of a model. */
export async function load(gateway, round) {
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
        sent.catch(() => {}); // reported by Promise.all
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

export async function usedUs({ child }, work) {
  const before = cpuUs(child.pid);
  await work();
  return cpuUs(child.pid) - before;
}

/** Rounds are compared with the one beside them without a page, because a busy machine makes all of them slower for a while. */
export function describeLoad(results, without) {
  const middle = (name) => median(results.map((result) => result[name]));
  const more = (name) => median(results.map((result, round) => result[name] - without[round][name])).toFixed(1);
  return (
    `${middle("usPerRequest").toFixed(0)} us a request at ${middle("rate").toFixed(0)} a second, ` +
    `${more("usPerRequest")} more than without; ${middle("gapMs").toFixed(1)} ms between two deltas, of a hundred one over ` +
    `${middle("slowGapMs").toFixed(1)} ms, ${more("slowGapMs")} more`
  );
}

export function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
