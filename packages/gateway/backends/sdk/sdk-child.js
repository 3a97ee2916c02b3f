// Runs Cursor's SDK for the gateway in a separate process, because the SDK needs a newer Node and may crash without harm here.
// The file is plain JavaScript, because Node starts it directly. protocol.ts describes its messages over IPC.
import { raiseWall, runTurn } from "./sdk-wall.js";

// Beside these two paths the SDK looks for native code and programs, which it cannot use here.
const [module, cwd, open] = process.argv.splice(1).slice(1);
process.execPath = cwd;
const { env } = process;
const apiKey = env.CURSOR_API_KEY;
delete env.CURSOR_API_KEY;
raiseWall(JSON.parse(open));

/** @type {Map<string, { run?: { cancel(): Promise<void> }, isCancelled: boolean, calls: Map<string, Function> }>} */
const turns = new Map();
const say = (message) => process.connected && process.send(message);
const fail = (turn, failure) => say({ type: "failed", turn, failure });

let sdk;
try {
  sdk = await import(module);
  process.on("message", hear);
  say({ type: "ready" });
} catch (thrown) {
  process.send({ type: "broken", failure: failureOf(thrown) }, () => process.exit(1));
}
// Without the gateway this process has no work.
process.on("disconnect", () => process.exit(0));
// A failure in the SDK's background work must not end all turns.
process.on("unhandledRejection", (thrown) => console.error(thrown));

function hear(message) {
  switch (message.type) {
    case "ping":
      return say({ type: "pong" });
    case "models":
      return void listModels(message);
    case "start":
      return void runTurn(message.store, () => play(message));
    case "answer":
      return turns.get(message.turn)?.calls.get(message.call)?.(message.result);
    case "cancel":
      return void cancel(message.turn);
  }
}

async function listModels({ turn }) {
  try {
    say({ type: "models", turn, models: await sdk.Cursor.models.list({ apiKey }) });
  } catch (thrown) {
    fail(turn, failureOf(thrown));
  }
}

async function play({ turn, agentId, store, model, system, tools, message }) {
  const state = { run: undefined, isCancelled: false, calls: new Map() };
  turns.set(turn, state);
  let agent;
  try {
    const options = {
      apiKey,
      model,
      ...(system !== "" && { systemPrompt: system }),
      // Of the SDK's own tools, only those that lead to the client's.
      tools: tools.length > 0 ? ["mcp"] : [],
      local: {
        cwd,
        store: openStore(store),
        settingSources: [],
        // A retry would run the client's tools a second time.
        enableAgentRetries: false,
        customTools: customTools(tools, turn, state),
      },
    };
    agent = agentId === undefined ? await sdk.Agent.create(options) : await sdk.Agent.resume(agentId, options);
    if (!state.isCancelled) {
      state.run = await agent.send(message, { onDelta: ({ update }) => reportUpdate(turn, update) });
      if (state.isCancelled) await state.run.cancel();
      const { status, error } = await state.run.wait();
      // The next turn may come from another process, so everything of this turn must be on disk.
      await agent[Symbol.asyncDispose]();
      if (status === "finished") say({ type: "end", turn, agentId: agent.agentId });
      else fail(turn, { name: status, message: error?.message ?? "", code: error?.code ?? "" });
    }
  } catch (thrown) {
    fail(turn, failureOf(thrown));
  } finally {
    turns.delete(turn);
    agent?.close();
  }
}

/** The events of a turn stay in memory: they are not read later, and on disk each delta takes longer than the one before. */
function openStore(folder) {
  const { agents, checkpoints, runs } = new sdk.JsonlLocalAgentStore(folder);
  const events = [];
  const runEvents = {
    async append({ runId, eventType, payload = null, payloadRef = null, idempotencyKey = null }) {
      const seq = events.length + 1;
      const createdAt = Date.now();
      const event = { runId, seq, offset: String(seq), eventType, payload, payloadRef, idempotencyKey, createdAt };
      events.push(event);
      return event;
    },
    async list({ runId, afterOffset, limit }) {
      const later = events.slice(Number(afterOffset ?? 0)).filter((event) => event.runId === runId);
      const items = later.slice(0, limit);
      return { items, nextOffset: items.at(-1)?.offset };
    },
    async delete() {
      events.length = 0;
    },
  };
  return { agents, checkpoints, runs, runEvents };
}

/** Each call waits for the client's result without a time limit. */
function customTools(tools, turn, { calls }) {
  let count = 0;
  const execute = (name) => (args) => {
    const call = String(++count);
    return new Promise((resolve) => {
      calls.set(call, resolve);
      say({ type: "call", turn, call, name, input: JSON.stringify(args) });
    }).finally(() => calls.delete(call));
  };
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [name, { description, inputSchema, execute: execute(name) }]),
  );
}

function reportUpdate(turn, update) {
  if (update.type === "text-delta") say({ type: "text", turn, delta: update.text });
  else if (update.type === "thinking-delta") say({ type: "thinking", turn, delta: update.text });
  else if (update.type === "turn-ended" && update.usage) say({ type: "usage", turn, usage: update.usage });
}

async function cancel(turn) {
  const state = turns.get(turn);
  if (state === undefined) return;
  state.isCancelled = true;
  for (const answer of state.calls.values()) answer({ content: [{ type: "text", text: "cancelled" }], isError: true });
  await state.run?.cancel().catch(() => {});
}

function failureOf(thrown) {
  const { name = "Error", message = String(thrown), code, status } = thrown ?? {};
  return { name: String(name), message: String(message), code: code === undefined ? "" : String(code), status };
}
