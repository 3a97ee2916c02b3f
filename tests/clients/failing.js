// A turn that always fails: no client's default retries may multiply it at Cursor.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareClient } from "./prepare.js";

/** Clients that retry failed requests, each in its usual dialect. */
const repeaters = new Set(["Codex", "Claude Code", "OpenCode", "Qwen Code", "Continue"]);
export const failures = ["[[fail internal]]", "[[drop]]"];
/** A minute, plus time to start. A client that still retries then is killed. */
const WATCHED_MS = 65_000;
/** The turn, the gateway's own retries, and what the breaker lets through in a minute: after 2, 4, 8 and 16 s. */
const MAX_RUNS = 8;

export function isRepeater({ name, setup }) {
  return setup !== undefined && repeaters.has(name);
}

/** Counts every run that reaches the simulator. */
export async function playFailure(client, directive, { path, main, isKept }) {
  const { folder, system, run, close } = await prepareClient(client, { path, main, isKept });
  try {
    const ended = await run({ ...client.first(directive), limitMs: WATCHED_MS });
    const { runs } = await system.simulator.stats();
    const log = system.log();
    if (isKept) writeFileSync(join(folder, "failure.json"), JSON.stringify({ ended, runs, log }));
    const failed = log.filter(({ route, outcome = "ok" }) => route === client.route && outcome !== "ok");
    assert.ok(failed.length > 0, `no request failed\nstdout: ${ended.stdout}\nstderr: ${ended.stderr}`);
    const count = `${runs} runs for ${failed.length} requests`;
    assert.ok(runs <= MAX_RUNS, `${count}, at most ${MAX_RUNS} runs`);
    return count;
  } finally {
    await close();
  }
}
