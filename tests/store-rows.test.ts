import { expect, it, onTestFinished } from "vitest";
import { LineageStore } from "../packages/gateway/store/lineage-store.js";
import { memoryTables } from "../packages/gateway/store/memory.js";
import type { Table } from "../packages/gateway/store/tables.js";
import { type ChatMessage, chat, result, tool, user } from "../testing/clients/tool-client.js";
import { makeAgentBackend } from "../testing/gateway/agent-backend.js";
import { makeGateway } from "../testing/gateway/make-gateway.js";
import { serveGateway } from "../testing/gateway/serve-gateway.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

const tools = Array.from({ length: 15 }, (_, at) => tool(`tool_${at}`, { path: { type: "string" } }));

/** Starts a gateway whose store counts changed rows and reads. */
async function startCounting() {
  const counts = { changed: 0, reads: 0 };
  const inner = memoryTables();
  const counted = (table: Table): Table => ({
    get(key) {
      counts.reads++;
      return table.get(key);
    },
    put(key, value) {
      counts.changed++;
      table.put(key, value);
    },
    remove(key) {
      counts.changed++;
      table.remove(key);
    },
    *keys(prefix) {
      for (const key of table.keys(prefix)) {
        counts.reads++;
        yield key;
      }
    },
  });
  const tables = { ...inner, rows: counted(inner.rows), names: counted(inner.names) };
  const store = new LineageStore({ tables, maxBytes: 64 * 1024 * 1024, now: Date.now });
  const simulator = await startSimulator();
  const gateway = makeGateway(makeAgentBackend(simulator.url), { store });
  const server = await serveGateway(gateway);
  onTestFinished(async () => {
    await gateway.close();
    await server.close();
    await simulator.close();
  });
  const ask = async (messages: readonly ChatMessage[]) => {
    counts.changed = counts.reads = 0;
    const reply = await chat(server.url, messages, { tools });
    await expect.poll(() => simulator.stats().runsOpen).toBe(reply.calls.length > 0 ? 1 : 0);
    return { ...reply, counts: { ...counts } };
  };
  return { ask };
}

/** The limits come from the design and the benchmark; the exact counts are the current ones. */
it("a request changes and reads few rows, however long its history", async () => {
  const { ask } = await startCounting();
  const history = Array.from({ length: 100 }, (_, at): ChatMessage[] => [
    user(`${at}: ${"words ".repeat(50)}`),
    { role: "assistant", content: `${at}: ${"an answer ".repeat(30)}` },
  ]).flat();
  const cold = await ask([...history, user("[[say Read.]]")]);
  expect(cold).toMatchObject({ text: "Read.", continuity: "cold:new", counts: { changed: 4, reads: 3 } });

  const first = await ask([user("[[say One.]]")]);
  expect(first).toMatchObject({ continuity: "cold:new", counts: { changed: 4, reads: 3 } });
  const next = [user("[[say One.]]"), first.message, user("[[say Two.]]")];
  const warm = await ask(next);
  expect(warm).toMatchObject({ continuity: "warm", counts: { changed: 3, reads: 6 } });

  const asked = [...next, warm.message, user('[[call tool_3 {"path":"a"}]] then [[say Done.]]')];
  const calling = await ask(asked);
  expect(calling).toMatchObject({ continuity: "warm" });
  const answered = await ask([...asked, calling.message, result(calling.calls[0], "found")]);
  expect(answered).toMatchObject({ continuity: "warm", counts: { changed: 3, reads: 2 } });
});
