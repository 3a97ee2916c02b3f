#!/usr/bin/env node
// The minimum of Cursor's CLI that the gateway needs, so that only the gateway is measured. Its model answers every prompt with
// the time at which it received the prompt.
import { createInterface } from "node:readline";

const args = process.argv.slice(2);
if (args.includes("--version")) console.log("2026.10.01-e373342");
else if (args.includes("status")) console.log(JSON.stringify({ isAuthenticated: true }));
else if (args.includes("models")) console.log("Available models\n\nauto - Auto (default)\n");
else if (args.at(-1) === "acp") serve();

function serve() {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let sessions = 0;
  const methods = {
    initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
    authenticate: () => ({}),
    async "session/new"({ mcpServers }) {
      await Promise.all(mcpServers.map(listTools));
      return { sessionId: `session-${++sessions}` };
    },
    "session/prompt"({ sessionId }) {
      const text = String(performance.timeOrigin + performance.now());
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
      send({ method: "session/update", params: { sessionId, update } });
      return { stopReason: "end_turn" };
    },
  };
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const { id, method, params } = JSON.parse(line);
    const result = await methods[method]?.(params);
    if (id !== undefined) send({ id, result: result ?? {} });
  });
}

async function listTools({ url, headers }) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });
  await response.text();
}
