// Cases that the official SDK must pass with the simulator. `steps` run in the SDK, each in its own process; `check` then
// judges their results and the simulator's counters.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookup, pixel, said, systemPrompt } from "./prompts.js";

const TOOL_MS = 35_000;

/** Sends one message and waits for the end of the run. */
async function send(agent, message, options = {}) {
  const updates = [];
  const run = await agent.send(message, { ...options, onDelta: ({ update }) => void updates.push(update) });
  const { status, result, usage, error } = await run.wait();
  const ended = updates.find(({ type }) => type === "turn-ended");
  return { status, text: result, error, usage: ended?.usage, runUsage: usage };
}

/** Common to every finished case: nothing open, nothing abandoned, nothing run twice. */
function checkQuiet(stats, runs) {
  assert.equal(stats.runs, runs, "runs");
  assert.equal(stats.runsOpen, 0, "runs still open");
  assert.equal(stats.execsThrown, 0, "execs thrown");
  assert.equal(stats.execsAbandoned, 0, "execs abandoned");
  assert.equal(stats.execsAnswered, stats.execsAsked, "execs answered");
  assert.equal(stats.queriesAnswered, stats.queriesAsked, "queries answered");
}

/** One turn in which the model calls the tool and continues with its result. */
async function useTool({ sdk, options }, execute) {
  const calls = [];
  const { description, inputSchema } = lookup;
  const custom = {
    description,
    inputSchema,
    execute: (args) => {
      calls.push(args);
      return execute(args);
    },
  };
  const agent = await sdk.Agent.create(options({ local: { customTools: { lookup: custom } } }));
  const sent = await send(agent, said.tool);
  return { ...sent, calls };
}

function checkToolTurn({ status, text, calls }, stats, words) {
  assert.equal(status, "finished");
  assert.deepEqual(calls, [{ key: "tern" }], "the tool ran once, with its arguments");
  assert.match(text, words);
  assert.match(text, /that was all$/);
  checkQuiet(stats, 1);
  assert.ok(stats.execsAsked >= 1, "an exec was asked");
}

async function sendTwice({ sdk, options }) {
  const agent = await sdk.Agent.create(options());
  return [await send(agent, said.first), await send(agent, said.second)];
}

function checkTwoTurns([first, second], stats) {
  assert.equal(first.status, "finished");
  assert.doesNotMatch(first.text, /Before that/);
  assert.equal(second.status, "finished");
  assert.match(second.text, /Before that you said: "My bird is a heron\."/);
  assert.ok(second.usage.cacheReadTokens > 0, "the second turn reads the cache");
  checkQuiet(stats, 2);
  assert.equal(stats.conversations, 1);
  assert.ok(stats.blobsSet > 0);
}

/** One turn with a user message while a tool runs. */
async function steer({ sdk, options }) {
  const { promise: hasRun, resolve: onRun } = Promise.withResolvers();
  const words = "[[say another way]]";
  const outcomes = [];
  const execute = async () => {
    const run = await hasRun;
    outcomes.push(run.steer(words));
    // The words must arrive before the result. An acknowledgement comes only after it.
    await arrivalOf(words);
    return "a tern is white";
  };
  const { description, inputSchema } = lookup;
  const agent = await sdk.Agent.create(
    options({ local: { customTools: { lookup: { description, inputSchema, execute } } } }),
  );
  const run = await agent.send(said.tool);
  onRun(run);
  const { status, result } = await run.wait();
  return { status, text: result, outcomes: await Promise.all(outcomes) };
}

/** Resolves when the simulator has received these words. */
async function arrivalOf(words) {
  const url = new URL("/__sim/requests", process.env.CURSOR_BACKEND_URL);
  while (!(await (await fetch(url)).text()).includes(words));
}

export const cases = [
  {
    name: "list models",
    steps: [
      async ({ sdk, apiKey }) => ({
        models: await sdk.Cursor.models.list({ apiKey }),
        me: await sdk.Cursor.me({ apiKey }),
      }),
    ],
    check([{ models, me }], { stats }) {
      assert.equal(models[0].id, "default");
      assert.deepEqual(models[0].aliases, ["auto"]);
      assert.ok(models.some(({ id }) => id === "composer-2.5"));
      assert.ok(!models.some(({ id }) => id === "auto"));
      assert.equal(models.find(({ id }) => id === "gpt-5.5").variants.length, 3);
      assert.equal(me.apiKeyName, "Simulated key");
      checkQuiet(stats, 0);
    },
  },
  {
    name: "sign in",
    versions: ["1.0.32"], // 1.0.18 cannot
    steps: [
      async ({ sdk }) => {
        const store = new sdk.InMemoryCredentialStore();
        const login = await sdk.Cursor.auth.login({ store, openBrowser: async (url) => void (await fetch(url)) });
        const status = await sdk.Cursor.auth.status({ store });
        const me = await sdk.Cursor.me({ apiKey: login.apiKey });
        return { login, status, me };
      },
    ],
    check([{ login, status, me }], { stats }) {
      assert.match(login.apiKey, /^crsr_/);
      assert.equal(login.email, "owner@simulated.example");
      assert.equal(status.status, "logged-in");
      assert.equal(me.userEmail, login.email);
      assert.equal(stats.logins, 1);
      checkQuiet(stats, 0);
    },
  },
  {
    name: "text with usage",
    record: "text",
    steps: [
      async ({ sdk, options }) => {
        const agent = await sdk.Agent.create(options());
        return send(agent, said.text);
      },
    ],
    check([{ status, text, usage, runUsage }], { stats, version }) {
      assert.equal(status, "finished");
      assert.equal(text, "Terns fly far.");
      const counted = { inputTokens: 1200, outputTokens: 34, cacheReadTokens: 1000, cacheWriteTokens: 50 };
      assert.deepEqual({ ...usage, reasoningTokens: undefined }, { ...counted, reasoningTokens: undefined });
      if (version !== "1.0.18") assert.equal(runUsage.outputTokens, 34);
      checkQuiet(stats, 1);
      assert.equal(stats.inputTokens, 1200);
      assert.equal(stats.cacheReadTokens, 1000);
    },
  },
  {
    name: "two turns",
    record: "second",
    steps: [sendTwice],
    check: ([turns], { stats }) => checkTwoTurns(turns, stats),
  },
  {
    name: "two turns, blobs asked for",
    record: "blobs",
    simulatorFlags: ["--forget-blobs"],
    steps: [sendTwice],
    check([turns], { stats, version }) {
      checkTwoTurns(turns, stats);
      // The older version sends all blobs with the request.
      assert.equal(stats.blobsRequested > 0, version !== "1.0.18", `${stats.blobsRequested} blobs requested`);
    },
  },
  {
    name: "two turns, blobs referred to",
    simulatorFlags: ["--blob-references"],
    steps: [sendTwice],
    check: ([turns], { stats }) => checkTwoTurns(turns, stats),
  },
  {
    name: "resume",
    steps: [
      async ({ sdk, options }) => {
        const agent = await sdk.Agent.create(options());
        const sent = await send(agent, "My bird is a puffin.");
        await agent[Symbol.asyncDispose]();
        return { ...sent, agentId: agent.agentId };
      },
      async ({ sdk, options, earlier }) => {
        const agent = await sdk.Agent.resume(earlier[0].agentId, options());
        return send(agent, "Which bird is it?");
      },
    ],
    check([first, second], { stats }) {
      assert.equal(first.status, "finished");
      assert.equal(second.status, "finished");
      assert.match(second.text, /Before that you said: "My bird is a puffin\."/);
      checkQuiet(stats, 2);
      assert.equal(stats.conversations, 1);
    },
  },
  {
    name: "custom tool",
    record: "tool",
    steps: [(client) => useTool(client, lookup.answer)],
    check: ([turn], { stats }) => checkToolTurn(turn, stats, /Result of lookup: a tern is white/),
  },
  {
    name: "tool that throws",
    steps: [
      (client) =>
        useTool(client, () => {
          throw new Error("the book is lost");
        }),
    ],
    check: ([turn], { stats }) => checkToolTurn(turn, stats, /Result of lookup: .*the book is lost/),
  },
  {
    name: "35 s tool",
    steps: [
      (client) => useTool(client, () => new Promise((resolve) => setTimeout(() => resolve("found at last"), TOOL_MS))),
    ],
    check([turn], { stats }) {
      checkToolTurn(turn, stats, /Result of lookup: found at last/);
      assert.ok(stats.heartbeatsIn >= 6, "the client's heart beat while its tool ran");
    },
  },
  {
    name: "steer, acknowledged",
    versions: ["1.0.32"], // 1.0.18 cannot
    simulatorFlags: ["--steering", "delivered"],
    steps: [steer],
    check([{ status, text, outcomes }], { stats }) {
      assert.equal(status, "finished");
      assert.match(text, /another way$/);
      assert.deepEqual(outcomes, ["complete_delivered"]);
      checkQuiet(stats, 1);
    },
  },
  {
    name: "steer, refused",
    versions: ["1.0.32"],
    simulatorFlags: ["--steering", "rejected"],
    steps: [steer],
    check([{ status, text, outcomes }], { stats }) {
      assert.equal(status, "finished");
      assert.match(text, /that was all$/);
      assert.deepEqual(outcomes, ["revert_to_followup"]);
      checkQuiet(stats, 1);
    },
  },
  {
    name: "usage of an agent",
    versions: ["1.0.32"],
    steps: [
      async ({ sdk, options }) => {
        const agent = await sdk.Agent.create(options());
        await send(agent, said.text);
        return agent.getUsage();
      },
    ],
    check([{ usage, runs }], { stats }) {
      assert.equal(usage.inputTokens, 1200);
      assert.equal(usage.outputTokens, 34);
      assert.equal(runs.length, 1);
      checkQuiet(stats, 1);
    },
  },
  {
    name: "image",
    record: "image",
    steps: [
      async ({ sdk, options }) => {
        const agent = await sdk.Agent.create(options());
        return send(agent, { text: said.image, images: [pixel] });
      },
    ],
    check([{ status, text }], { stats }) {
      assert.equal(status, "finished");
      assert.ok(text.includes(`1 image(s): image/png of ${Buffer.from(pixel.data, "base64").length} bytes`), text);
      checkQuiet(stats, 1);
    },
  },
  {
    name: "system prompt",
    record: "system",
    steps: [
      async ({ sdk, options, cwd }) => {
        // 1.0.18 has no such option, so it uses a project rule.
        writeFileSync(join(cwd, "AGENTS.md"), "You keep a lighthouse.\n");
        const agent = await sdk.Agent.create(options({ systemPrompt }));
        return send(agent, said.system);
      },
    ],
    check([{ status, text }], { stats, version }) {
      assert.equal(status, "finished");
      assert.match(text, /My system prompt: .*You keep a lighthouse\./);
      if (version !== "1.0.18") assert.match(text, /You count birds\./);
      checkQuiet(stats, 1);
    },
  },
  {
    name: "cancel",
    steps: [
      async ({ sdk, options }) => {
        const agent = await sdk.Agent.create(options());
        let text = "";
        let onText;
        const firstText = new Promise((resolve) => {
          onText = resolve;
        });
        const run = await agent.send("[[say begun]] [[wait 600000]] [[say never]]", {
          onDelta: ({ update }) => {
            if (update.type !== "text-delta") return;
            text += update.text;
            onText();
          },
        });
        const ended = run.wait();
        await firstText;
        await run.cancel();
        const { status } = await ended;
        return { status, text };
      },
    ],
    check([{ status, text }], { stats }) {
      assert.equal(status, "cancelled");
      assert.equal(text, "begun");
      assert.equal(stats.runs, 1);
      assert.equal(stats.runsOpen, 0);
      assert.equal(stats.cancelled, 1);
    },
  },
];
