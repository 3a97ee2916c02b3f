import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Simulator } from "../simulator/index.js";
import { limitsFile } from "../src/app/prepare/own-files.js";
import { openLedgerReader } from "../src/ledger/index.js";
import { writeLimits } from "../src/spend/index.js";
import { postJson } from "../testing/clients/post-json.js";
import { type GatewayProcess, startGatewayProcess } from "../testing/programs/gateway-process.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

const TURNS = 6;
/** About 13,500 tokens. */
const question = `${"word ".repeat(10_800)}[[say Words have come.]] [[wait 60000]]`;

let simulator: Simulator;
let home: string;
let gateway: GatewayProcess;

beforeEach(async () => {
  simulator = await startSimulator();
  home = mkdtempSync(join(tmpdir(), "curlew-killed-turns-"));
  gateway = await startGatewayProcess(simulator.url, home);
});
afterEach(async () => {
  await gateway.kill();
  await simulator.close();
  for (const name of readdirSync(join(home, "ledger"))) chmodSync(join(home, "ledger", name), 0o700);
  rmSync(home, { recursive: true, force: true });
});

function ask(content: string, stream: boolean): Promise<Response> {
  return postJson(`${gateway.url}/v1/chat/completions`, {
    model: "auto",
    stream,
    messages: [{ role: "user", content }],
  });
}

/** A turn whose process is killed after words have come. */
async function askAndKill(): Promise<void> {
  const reader = (await ask(question, true)).body?.getReader();
  let text = "";
  while (!text.includes("Words")) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`The reply has ended: ${text}`);
    text += new TextDecoder().decode(value);
  }
  await gateway.kill();
  await reader?.read().catch(() => {});
  gateway = await startGatewayProcess(simulator.url, home);
}

it("what turns took whose process was killed is counted, and limits hold after that", async () => {
  for (let turn = 0; turn < TURNS; turn++) await askAndKill();
  const ledger = openLedgerReader(join(home, "ledger"));
  const entries = ledger.entries({ limit: 99 });
  expect(entries.map(({ outcome, runs }) => `${outcome} ${runs}`)).toEqual(Array(TURNS).fill("interrupted 1"));
  const [day] = ledger.rollUps("day", 0, Number.MAX_SAFE_INTEGER);
  expect(day).toMatchObject({ requests: TURNS, runs: TURNS, turns: TURNS, estimatedTurns: TURNS });
  expect(Math.abs((day?.tokens.input ?? 0) / (TURNS * 13_500) - 1)).toBeLessThan(0.05);
  await gateway.kill();
  writeLimits(limitsFile({ home }), { day: { tokens: 30_000 } });
  // What cannot be read is left out, and nothing else.
  const [name = ""] = readdirSync(join(home, "ledger"));
  chmodSync(join(home, "ledger", name), 0o000);
  mkdirSync(join(home, "ledger", `${name.slice(0, 10)}.7-folder.jsonl`));
  writeFileSync(join(home, "ledger", `${name.slice(0, 10)}.8-garbage.jsonl`), "garbage\n");
  gateway = await startGatewayProcess(simulator.url, home);
  const refused = await ask("One more. [[say No.]]", false);
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("quota_exceeded")]);
});
