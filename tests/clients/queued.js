// Input typed on a terminal while a tool of the client runs: it must reach the model on the parked run.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linesIn, prepareClient } from "./prepare.js";
import { marks, notes } from "./turns.js";

/** Limit for the upstream cost of the queued words, including the client's text around them. */
const MAX_BYTES = 4_096;
/** The typed text does not contain its answer, so the screen shows which input was answered. */
const first = { typed: "[[say sand]] [[say piper]]", answer: /sandpiper/ };
const queued = { typed: "[[say king]] [[say fisher]]", answer: /kingfisher/ };
const last = { typed: "[[say black]] [[say bird]]", answer: /blackbird/ };

/** Plays the turn without and with queued words. */
export async function playQueued(client, deps) {
  const without = await playOnce(client, deps, false);
  const withWords = await playOnce(client, deps, true);
  const bytes = withWords - without;
  assert.ok(bytes < MAX_BYTES, `the words cost ${bytes} bytes upstream, ${without} without them`);
  return `${bytes} bytes`;
}

/** Returns how many bytes the turn has sent upstream. */
async function playOnce(client, { path, main, isKept }, isTyping) {
  const { folder, cwd, system, run, close } = await prepareClient(client, { path, main, isKept });
  const { simulator } = system;
  const [begun, go] = ["begun", "go"].map((name) => join(cwd, name));
  // The tool runs until the words are queued.
  const [tool, input] = client.shell(
    `touch begun; until [ -e go ]; do sleep 0.1; done; cat note.txt; echo x >> ${marks}`,
  );
  const replies = () => system.log().filter(({ continuity }) => continuity !== undefined);
  let bytes;
  try {
    const { ready, args } = client.terminal;
    const outcome = await run({
      args,
      async play(terminal) {
        await terminal.until(ready);
        await terminal.say(`[[call ${tool} ${JSON.stringify(input)}]] then ${first.typed}`);
        await terminal.until(() => existsSync(begun));
        if (isTyping) {
          await terminal.say(queued.typed);
          await terminal.until(client.terminal.queued);
        }
        writeFileSync(go, "");
        await terminal.until((isTyping ? queued : first).answer);
        await terminal.until(async () => (await simulator.stats()).runsOpen === 0);
        bytes = (await simulator.stats()).bytesIn;
        await terminal.say(last.typed);
        await terminal.until(last.answer);
        await terminal.until(async () => (await simulator.stats()).runsOpen === 0);
        await terminal.leave("\x03\x03");
      },
    });
    const requests = await simulator.requests();
    if (isKept) {
      const kept = JSON.stringify({ outcome, requests, log: system.log() });
      writeFileSync(join(folder, isTyping ? "queued.json" : "unqueued.json"), kept);
    }
    if (outcome.failure !== undefined) throw outcome.failure;
    assert.equal(outcome.isLate, false, "it did not end by itself");
    assert.equal(linesIn(join(cwd, marks)), 1, "commands that were run");
    const titles = requests.filter(({ path: asked }) => asked.endsWith("/NameAgent")).length;
    const continuities = replies().map(({ continuity }) => continuity);
    const wanted = ["cold:new", isTyping ? "warm:steered" : "warm", "warm", ...Array(titles).fill("cold:new")];
    assert.deepEqual(continuities.toSorted(), wanted.toSorted(), "continuity of the replies");
    const { runs, conversations, cancelled, execsAbandoned } = await simulator.stats();
    const counted = { runs, conversations, cancelled, execsAbandoned };
    assert.deepEqual(counted, { runs: 2, conversations: 1, cancelled: 0, execsAbandoned: 0 }, "counters");
    const sent = requests.flatMap(({ messages }) => messages.map((message) => JSON.stringify(message)));
    const countOf = (text) => sent.filter((message) => message.includes(text)).length;
    assert.equal(countOf(queued.typed), isTyping ? 1 : 0, "messages upstream with the queued words");
    assert.equal(countOf(notes["note.txt"]), 1, "messages upstream with the result");
    return bytes;
  } finally {
    await close();
  }
}
