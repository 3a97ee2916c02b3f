import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { limitsFile } from "../packages/cli/app/prepare/own-files.js";
import { openLedgerReader } from "../packages/meter/ledger/index.js";
import { writeLimits } from "../packages/meter/spend/index.js";
import { postJson } from "../testing/clients/post-json.js";
import { ProcessSystem } from "../testing/programs/process-system.js";
import { startedEach } from "../testing/started.js";

const TURNS = 6;
/** About 13,500 tokens. */
const question = `${"word ".repeat(10_800)}[[say Words have come.]] [[wait 60000]]`;

const system = startedEach(() => ProcessSystem.start());
afterEach(() => {
  const ledger = join(system.home, "ledger");
  for (const name of readdirSync(ledger)) chmodSync(join(ledger, name), 0o700);
});

function ask(content: string, stream: boolean): Promise<Response> {
  return postJson(`${system.gateway.url}/v1/chat/completions`, {
    model: "auto",
    stream,
    messages: [{ role: "user", content }],
  });
}

/** Plays a turn, and kills the gateway after its first words. */
async function askAndKill(): Promise<void> {
  const reader = (await ask(question, true)).body?.getReader();
  let text = "";
  while (!text.includes("Words")) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`The reply has ended: ${text}`);
    text += new TextDecoder().decode(value);
  }
  await system.gateway.kill();
  await reader?.read().catch(() => {});
  await system.startAgain();
}

it("the usage of turns interrupted by a kill is counted, also by limits", async () => {
  const { home } = system;
  for (let turn = 0; turn < TURNS; turn++) await askAndKill();
  const ledger = openLedgerReader(join(home, "ledger"));
  const entries = ledger.entries({ limit: 99 });
  expect(entries.map(({ outcome, runs }) => `${outcome} ${runs}`)).toEqual(Array(TURNS).fill("interrupted 1"));
  const [day] = ledger.rollUps("day", 0, Number.MAX_SAFE_INTEGER);
  expect(day).toMatchObject({ requests: TURNS, runs: TURNS, turns: TURNS, estimatedTurns: TURNS });
  expect(Math.abs((day?.tokens.input ?? 0) / (TURNS * 13_500) - 1)).toBeLessThan(0.05);
  await system.gateway.kill();
  writeLimits(limitsFile({ home }), { day: { tokens: 30_000 } });
  // Unreadable files are skipped, and only those.
  const [name = ""] = readdirSync(join(home, "ledger"));
  chmodSync(join(home, "ledger", name), 0o000);
  mkdirSync(join(home, "ledger", `${name.slice(0, 10)}.7-folder.jsonl`));
  writeFileSync(join(home, "ledger", `${name.slice(0, 10)}.8-garbage.jsonl`), "garbage\n");
  await system.startAgain();
  const refused = await ask("One more. [[say No.]]", false);
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("quota_exceeded")]);
});
