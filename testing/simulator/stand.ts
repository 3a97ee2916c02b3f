import { createServer as createHttp1 } from "node:http";
import { type ClientHttp2Session, connect, createServer as createHttp2 } from "node:http2";
import { createAgent } from "../../packages/simulator/agent/index.js";
import { createAgentUsage } from "../../packages/simulator/server/agent-usage.js";
import { type Clock, systemClock } from "../../packages/simulator/server/clock.js";
import { defaultOptions, type SimulatorOptions } from "../../packages/simulator/server/options.js";
import { emptyStats } from "../../packages/simulator/server/stats.js";
import type { JournalEntry, World } from "../../packages/simulator/server/world.js";
import { listenLocally } from "../network/local-server.js";

/** An agent behind plain servers of both HTTP versions, in a world made by hand. */
export interface Stand {
  world: World;
  journal: JournalEntry[];
  http1: string;
  http2: ClientHttp2Session;
  close(): Promise<void>;
}

export const TOKEN = "Bearer stand";
/** "auto" is an alias that lists show; clients may not send it. */
const models = ["default", "auto", "composer-2", "claude-opus-4-8"];

/** It reads the protocol strictly, unless the options say otherwise. */
export async function startStand(options: Partial<SimulatorOptions> = {}, clock: Clock = systemClock): Promise<Stand> {
  const journal: JournalEntry[] = [];
  const conversations = new Set<string>();
  const world: World = {
    options: { ...defaultOptions, strict: true, ...options },
    stats: emptyStats(),
    record: (entry) => journal.push(entry),
    noteConversation(id) {
      conversations.add(id);
      world.stats.conversations = conversations.size;
    },
    checkToken: (authorization) =>
      authorization === TOKEN ? { isValid: true } : { isValid: false, reason: authorization ? "unknown" : "missing" },
    agentUsage: createAgentUsage(),
    isKnownModel: (id) => models.includes(id),
    contextTokens: () => 100_000,
  };
  const agent = createAgent(world, clock);
  const http1 = createHttp1(
    (request, response) => void (agent.handle(request, response) || response.writeHead(404).end()),
  );
  const http2 = createHttp2(
    (request, response) => void (agent.handle(request, response) || response.writeHead(404).end()),
  );
  const servers = [await listenLocally(http1), await listenLocally(http2)] as const;
  const session = connect(servers[1].url);
  return {
    world,
    journal,
    http1: servers[0].url,
    http2: session,
    async close() {
      agent.close();
      session.destroy();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
