import assert from "node:assert/strict";
import { notes } from "./turns.js";

/**
 * Checks one turn of a client. `outcome` is how its process ended; `before` and `after` are the states of gateway, simulator
 * and workspace.
 */
export function judgeTurn({ isNew, reads, says }, { route, isOneAtATime, complaint }, outcome, { before, after }) {
  assert.equal(outcome.isLate, false, "it did not end by itself");
  assert.equal(outcome.code, 0, "exit code");
  if (complaint !== undefined) assert.doesNotMatch(outcome.stderr, complaint);
  const secrets = reads.map((file) => notes[file]);
  for (const text of [says, ...secrets]) assert.ok(outcome.stdout.includes(text), `stdout lacks "${text}"`);
  const requests = after.requests.slice(before.requests.length);
  for (const secret of secrets) assert.equal(resultsWith(secret, requests), 1, `results upstream with ${secret}`);
  assert.equal(after.marks - before.marks, reads.length, "commands that were run");
  const { runs, conversations } = before.stats;
  checkCounters(after.stats, { runs: runs + 1, conversations: conversations + (isNew ? 1 : 0) });
  const rounds = isOneAtATime ? reads.length : Math.min(reads.length, 1);
  const continuity = [isNew ? "cold:new" : "warm", ...Array(rounds).fill("warm")];
  checkLog(after.log.slice(before.log.length), { route, continuity }, requests);
}

function resultsWith(secret, requests) {
  const results = requests.flatMap(({ messages }) => messages.map((each) => each.execClientMessage?.mcpResult ?? {}));
  return results.filter((result) => JSON.stringify(result).includes(secret)).length;
}

/** One run per user message, with any number of tool rounds; nothing is asked twice or stays open. */
function checkCounters(stats, expected) {
  const quiet = { runsOpen: 0, execsThrown: 0, execsAbandoned: 0, queriesAbandoned: 0, resumes: 0, cancelled: 0 };
  const answered = { execsAnswered: stats.execsAsked, queriesAnswered: stats.queriesAsked };
  const all = { ...expected, ...quiet, ...answered };
  const counted = Object.fromEntries(Object.keys(all).map((name) => [name, stats[name]]));
  assert.deepEqual(counted, all, "counters of the simulator");
}

/** Title requests come beside the turns and are not counted as such. */
function checkLog(lines, { route, continuity }, requests) {
  // Some clients look the model up without waiting for the answer.
  const hasLeft = ({ outcome, route }) => outcome === "canceled" && route.startsWith("GET ");
  const isBad = (line) => {
    const { level, outcome = "ok", status = 200 } = line;
    return ["error", "fatal"].includes(level) || ((outcome !== "ok" || status >= 400) && !hasLeft(line));
  };
  assert.deepEqual(lines.filter(isBad), [], "lines of the gateway's log");
  const replies = lines.filter((line) => line.continuity !== undefined);
  assert.deepEqual([...new Set(replies.map((reply) => reply.route))], [route], "the dialect");
  const titles = requests.filter(({ path }) => path.endsWith("/NameAgent")).map(() => "cold:new");
  const continuities = replies.map((reply) => reply.continuity);
  assert.deepEqual(continuities.toSorted(), [...titles, ...continuity].toSorted(), "continuity of the replies");
}
