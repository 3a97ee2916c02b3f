// One client through its turns, each in a process of its own, in front of a gateway of its own.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runClient } from "./client-process.js";
import { configure } from "./guide.js";
import { judgeTurn } from "./judge.js";
import { startSystem } from "./system.js";
import { marks, notes, promptOf, turns } from "./turns.js";

const SETTLE_MS = 5_000;

/**
 * A client that `curlew setup` knows is set up by it, and for its last turn set back and started by `curlew run`; the others, in
 * dialects of which setup knows nothing, are configured as their page says. Hands each turn to `onTurn(name, play)`; `play`
 * throws what went wrong.
 */
export async function playClient(client, { path, main, isKept }, onTurn) {
  const folder = mkdtempSync(join(tmpdir(), "curlew-clients-case-"));
  const [cwd, home, temporary] = ["workspace", "home", "tmp"].map((name) => join(folder, name));
  for (const place of [cwd, home, temporary]) mkdirSync(place);
  for (const [name, secret] of Object.entries(notes)) writeFileSync(join(cwd, name), `${secret}\n`);
  const system = await startSystem(main, join(folder, "curlew"));
  try {
    const { setup } = client;
    if (setup === undefined) configure(client.name, home, system.url);
    const { command, environment = {} } = client;
    const run = (task) => runClient({ file: command, ...task, environment }, { cwd, home, temporary, path });
    const must = async (file, args) => {
      const { code, stderr } = await run({ file, args });
      if (code !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${code}: ${stderr}`);
    };
    for (const [name, value] of Object.entries(client.files ?? {})) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), JSON.stringify(value));
    }
    const curlew = (...args) => must(process.execPath, [main, ...args]);
    if (setup !== undefined) await curlew("setup", setup, "--yes", "--url", system.url);
    const facts = async () => ({
      stats: await system.simulator.stats(),
      requests: await system.simulator.requests(),
      log: system.log(),
      marks: linesIn(join(cwd, marks)),
    });
    for (const turn of turns) {
      await onTurn(turn.name, async () => {
        const before = await facts();
        const ask = turn.isNew ? client.first : client.next;
        const task = ask(promptOf(turn, client), { home, says: turn.says });
        const isLast = turn === turns.at(-1);
        if (setup !== undefined && isLast) await curlew("setup", setup, "--undo", "--yes");
        const byRun = { file: process.execPath, args: [main, "run", "--url", system.url, setup, ...task.args] };
        const outcome = await run({ ...task, ...(setup !== undefined && isLast && byRun) });
        if (isKept) writeFileSync(join(folder, `${turn.name}.json`), JSON.stringify({ outcome, ...(await facts()) }));
        await eventually(async () => judgeTurn(turn, client, outcome, { before, after: await facts() }), outcome);
      });
    }
    if (client.last !== undefined) await run(client.last);
  } finally {
    await system.stop();
    if (isKept) console.log(`      kept in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

/** The end of a reply may be noticed, and logged, a moment after the client has left. */
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

function linesIn(file) {
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").length : 0;
}
