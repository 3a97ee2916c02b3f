// Measures the time from a client's request until Cursor's CLI has the prompt, with a process that already runs: for a new
// conversation (a session with an MCP server of its own) and for the next turn of one. The first turn, which starts the process,
// is shown for comparison.
//   node bench/warm-cli.js [--rounds 50] [--json]
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startGateway } from "./process.js";

const GOAL_MS = 20;
const { values: flags } = parseArgs({
  options: { rounds: { type: "string", default: "50" }, json: { type: "boolean" } },
});
const rounds = Number(flags.rounds);

const tool = { type: "function", function: { name: "look", description: "Looks.", parameters: { type: "object" } } };
const home = mkdtempSync(join(tmpdir(), "curlew-bench-"));
const agent = fileURLToPath(new URL("./cli-agent.js", import.meta.url));
const gateway = await startGateway("http://127.0.0.1:9", home, {
  settings: { CURLEW_BACKEND: "cli", CURLEW_CLI_PATH: agent },
});

try {
  const firstMs = (await turn([user("first")])).ms;
  const newMs = [];
  const nextMs = [];
  for (let round = 0; round < rounds; round++) {
    const begun = [user(`conversation ${round}`)];
    const { ms, text } = await turn(begun);
    newMs.push(ms);
    const next = await turn([...begun, { role: "assistant", content: text }, user("and on")]);
    if (next.continuity !== "warm") throw new Error(`the next turn was ${next.continuity}`);
    nextMs.push(next.ms);
  }
  report({ goalMs: GOAL_MS, firstMs, newConversationMs: spread(newMs), nextTurnMs: spread(nextMs) });
} finally {
  gateway.child.kill("SIGTERM"); // the gateway ends the CLI, too
  await once(gateway.child, "exit");
  rmSync(home, { recursive: true, force: true });
}

function user(content) {
  return { role: "user", content };
}

/** Runs one turn. Resolves with the time until the CLI had it. */
async function turn(messages) {
  const askedMs = performance.timeOrigin + performance.now();
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", messages, tools: [tool] }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(body));
  const text = body.choices[0].message.content;
  return { text, ms: Number(text) - askedMs, continuity: response.headers.get("x-curlew-continuity") };
}

function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], min: sorted[0], max: sorted.at(-1) };
}

function report(results) {
  if (flags.json) return console.log(JSON.stringify(results, null, 2));
  const show = ({ median, min, max }) => `${median.toFixed(1)} ms [${min.toFixed(1)}-${max.toFixed(1)}]`;
  console.log(`the first turn, with the start of the CLI: ${results.firstMs.toFixed(0)} ms`);
  console.log(`a new conversation on a warm process: ${show(results.newConversationMs)} (goal ${GOAL_MS} ms)`);
  console.log(`the next turn of a conversation: ${show(results.nextTurnMs)} (goal ${GOAL_MS} ms)`);
}
