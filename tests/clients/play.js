// Plays the turns of one client, each in its own process, on a gateway of its own.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { judgeTurn } from "./judge.js";
import { linesIn, prepareClient } from "./prepare.js";
import { marks, promptOf, turns } from "./turns.js";

const SETTLE_MS = 5_000;

/**
 * The last turn of a client that `curlew setup` knows runs through `curlew run`, after `setup --undo`. Passes each turn to
 * `onTurn(name, play)`; `play` throws on failure.
 */
export async function playClient(client, { path, main, isKept }, onTurn) {
  const { folder, cwd, home, system, run, curlew, close } = await prepareClient(client, { path, main, isKept });
  try {
    const { setup } = client;
    const state = async () => ({
      stats: await system.simulator.stats(),
      requests: await system.simulator.requests(),
      log: system.log(),
      marks: linesIn(join(cwd, marks)),
    });
    for (const turn of turns) {
      await onTurn(turn.name, async () => {
        const before = await state();
        const ask = turn.isNew ? client.first : client.next;
        const task = ask(promptOf(turn, client), { home, says: turn.says });
        const isLast = turn === turns.at(-1);
        if (setup !== undefined && isLast) await curlew("setup", setup, "--undo", "--yes");
        const byRun = { file: process.execPath, args: [main, "run", "--url", system.url, setup, ...task.args] };
        const outcome = await run({ ...task, ...(setup !== undefined && isLast && byRun) });
        if (isKept) writeFileSync(join(folder, `${turn.name}.json`), JSON.stringify({ outcome, ...(await state()) }));
        await eventually(async () => judgeTurn(turn, client, outcome, { before, after: await state() }), outcome);
      });
    }
    if (client.last !== undefined) await run(client.last);
  } finally {
    await close();
  }
}

/** Retries: the gateway may log the end of a reply shortly after the client has exited. */
async function eventually(judge, { stdout, stderr }) {
  const deadlineMs = Date.now() + SETTLE_MS;
  for (;;) {
    try {
      return await judge();
    } catch (thrown) {
      if (Date.now() > deadlineMs) {
        throw new Error(`${thrown.message}\nstdout: ${stdout.slice(-2_000)}\nstderr: ${stderr.slice(-2_000)}`);
      }
      await sleep(50);
    }
  }
}
