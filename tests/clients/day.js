// A day at the terminal: a person's messages in one conversation, and what each costs. One message is one run; a compaction and a
// restart in the middle of a tool cost more.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { habits, keys } from "./habits.js";
import { prepareClient } from "./prepare.js";
import { marks } from "./turns.js";

/** Only ends what hangs. */
const DAY_MS = 600_000;
/** How long the ledger may be behind the simulator. Only a wrong count takes as long. */
const SETTLE_MS = 20_000;
const LOOK_MS = 50;

/** The tools of the day. The slow one waits until the person is done, and each leaves a mark. */
const scripts = {
  "read.sh": `cat note.txt; echo "$1" >> ${marks}`,
  "slow.sh": `touch "begun-$1"; until [ -e "go-$1" ]; do sleep 0.1; done; cat note.txt; echo "$1" >> ${marks}`,
};

/** The mark of the MCP server's tool. */
const appended = "once";

/** What is typed does not contain the answer, so the screen shows which message was answered. */
const answer = (first, second) => ({ typed: `[[say ${first}]] [[say ${second}]]`, shown: new RegExp(first + second) });

/**
 * Plays the day. Returns its steps: how many messages were typed, how many runs they may cost, how many the simulator and the
 * ledger have counted, and the reason why a step costs more than its messages.
 */
export async function playDay(client, { path, main, isKept }, onStep) {
  const habit = habits[client.setup];
  const prepared = await prepareClient(client, { path, main, isKept });
  const { cwd, home, system, run, close } = prepared;
  const { simulator } = system;
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(cwd, name), text);
  if (habit.isInRepository) makeRepository(cwd);
  const steps = [];
  /** The tools that must have run once. One that Esc ended may have run or not. */
  const called = [];

  async function play(terminal) {
    let counts = await countsOf(system);
    const isIdle = async () => (await simulator.stats()).runsOpen === 0;
    const see = async (shown) => {
      await terminal.until(shown);
      await terminal.until(isIdle);
    };
    const ask = async ({ typed, shown }, before = "") => {
      await terminal.say(`${before}${typed}`);
      await see(shown);
    };
    const call = (script, name) => {
      if (name !== "esc") called.push(name);
      const [tool, input] = client.shell(`sh ${script} ${name}`);
      return `[[call ${tool} ${JSON.stringify(input)}]] `;
    };
    /** Asks for the slow tool, acts once it runs, and lets it end. */
    const during = async (name, { typed }, act) => {
      await terminal.say(`${call("slow.sh", name)}${typed}`);
      await terminal.until(() => existsSync(join(cwd, `begun-${name}`)));
      await act();
      writeFileSync(join(cwd, `go-${name}`), "");
    };
    const step = async (name, { messages = 1, runs = messages, allowed = 0 }, act) => {
      const startedMs = Date.now();
      const before = counts;
      await act();
      counts = await countsOf(
        system,
        ({ runs: now, ledgerRuns }) => now - before.runs === ledgerRuns - before.ledgerRuns,
      );
      steps.push({ name, messages, runs: runs + allowed, allowed, ...costOf(before, counts) });
      onStep(steps.at(-1), Date.now() - startedMs);
    };

    await terminal.until(habit.ready);
    await habit.begin?.(terminal);
    await step("first", {}, () => ask(answer("sand", "piper"), "Name a bird. "));
    await step("tool", {}, () => ask(answer("king", "fisher"), call("read.sh", "tool")));
    await step("two tools", {}, () => ask(answer("gold", "finch"), call("read.sh", "one") + call("read.sh", "two")));
    if (habit.undo !== undefined) {
      await step("undo", { messages: 2 }, async () => {
        await ask(answer("wag", "tail"));
        await habit.undo(terminal);
        terminal.press(keys.clear);
        await ask(answer("wood", "pecker"));
      });
    }
    await step("words in a tool", { messages: 2, runs: habit.isQueueSentAfterwards ? 2 : 1 }, async () => {
      const words = answer("black", "bird");
      await during("words", answer("nut", "hatch"), async () => {
        await terminal.say(words.typed);
        await terminal.until(habit.queued);
      });
      await see(words.shown);
    });
    // The words after it reach the run that still waits for its tool.
    await step("Esc in a tool", { messages: 2, runs: 1 }, async () => {
      await during("esc", answer("dun", "lin"), async () => {
        if (habit.asksAgain !== undefined) await terminal.pressUntil(keys.escape, habit.asksAgain);
        await terminal.pressUntil(keys.escape, habit.interrupted);
      });
      await ask(answer("tree", "creeper"));
    });
    if (habit.compact !== undefined) {
      await step("compaction", { messages: 0, allowed: habit.compactionRuns ?? 1 }, async () => {
        await habit.compact(terminal);
        await terminal.until(isIdle);
      });
    }
    await step("next", {}, () => ask(answer("red", "start")));
    await step("restart in a tool", { allowed: 1 }, async () => {
      await during("restart", answer("moor", "hen"), () => system.restart());
      await see(answer("moor", "hen").shown);
    });
    if (habit.changeModel !== undefined) {
      await step("model change", {}, async () => {
        await habit.changeModel(terminal);
        await ask(answer("corn", "crake"), call("read.sh", "changed"));
      });
    }
    if (client.deferred !== undefined) {
      called.push(appended);
      await step("deferred tool", {}, () => ask(answer("wry", "neck"), deferredCall(client, cwd)));
    }
    await step("last", {}, () => ask(answer("ring", "ouzel")));
    // Counts what the client has asked for by itself after the last answer, too.
    await step("leaving", { messages: 0 }, () => habit.leave?.(terminal) ?? terminal.leave(keys.quit));
  }

  try {
    const outcome = await run({ args: habit.args({ home }), limitMs: DAY_MS, play });
    if (client.last !== undefined) await run(client.last);
    const sessions = client.sessions && (await run(client.sessions)).stdout;
    if (isKept) {
      const kept = { outcome, steps, requests: await simulator.requests(), ledger: await system.ledger() };
      writeFileSync(join(prepared.folder, "day.json"), JSON.stringify(kept));
    }
    const ran = marksIn(cwd).filter((name) => name !== "esc");
    return { steps, failure: outcome.failure, called, ran, sessions, lacks: habit.lacks ?? {} };
  } finally {
    await close();
  }
}

/** The tool is not there before the client's own search for tools has found it, unless the client offers all at once. */
function deferredCall({ deferred: { search, name } }, cwd) {
  const calls = [search(name("append")), [name("append"), { file: join(cwd, marks) }]];
  return calls.map(([tool, input]) => `[[call ${tool} ${JSON.stringify(input)}]] then `).join("");
}

/** What was counted so far. The ledger gets an entry shortly after the client has its answer. */
async function countsOf({ simulator, ledger }, isSettled = () => true) {
  const deadlineMs = Date.now() + SETTLE_MS;
  for (;;) {
    const { runs } = await simulator.stats();
    const entries = await ledger();
    const requests = await simulator.requests();
    const ledgerRuns = entries.reduce((sum, entry) => sum + entry.runs, 0);
    if (isSettled({ runs, ledgerRuns }) || Date.now() > deadlineMs) return { runs, ledgerRuns, entries, requests };
    await sleep(LOOK_MS);
  }
}

/** What a step has cost, and the requests that were counted, as a reader needs them to find the one too many. */
function costOf(before, after) {
  const entries = after.entries.slice(before.entries.length);
  const opened = after.requests.slice(before.requests.length).filter(({ messages: [first] }) => first?.runRequest);
  return {
    counted: after.runs - before.runs,
    ledger: after.ledgerRuns - before.ledgerRuns,
    requests: [
      ...entries.map(({ runs, model, continuity, side = "" }) =>
        `ledger: ${runs} ${model} ${continuity} ${side}`.trim(),
      ),
      ...opened.map(({ messages: [first] }) => `run: ${JSON.stringify(first.runRequest.action).slice(-300)}`),
    ],
  };
}

function makeRepository(cwd) {
  const git = (...args) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message=begun");
}

function marksIn(cwd) {
  const file = join(cwd, marks);
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}
