/** The tokens of one turn. Input includes cache reads. */
export interface TurnTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface BilledRun {
  readonly id: string;
  readonly tokens: TurnTokens;
}

/** What each agent has used: the answer to `GET /v1/agents/{id}/usage`. A local agent's id is that of its conversation. */
export interface AgentUsage {
  record(agent: string, run: string, tokens: TurnTokens): void;
  /** Zero for an unknown agent: billing lags behind. */
  of(agent: string): object;
}

/** Agents kept; the least recently billed are evicted. */
const MAX_AGENTS = 1_000;
const MAX_RUNS = 1_000;

export function createAgentUsage(): AgentUsage {
  const agents = new Map<string, BilledRun[]>();
  return {
    record(agent, id, tokens) {
      const runs = agents.get(agent) ?? [];
      agents.delete(agent); // re-inserted at the end: LRU order
      agents.set(agent, [...runs.slice(1 - MAX_RUNS), { id, tokens }]);
      for (const oldest of agents.keys()) {
        if (agents.size <= MAX_AGENTS) break;
        agents.delete(oldest);
      }
    },
    of(agent) {
      const runs = agents.get(agent) ?? [];
      const total = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
      for (const { tokens } of runs) {
        total.input += tokens.input;
        total.output += tokens.output;
        total.cacheRead += tokens.cacheRead;
        total.cacheWrite += tokens.cacheWrite;
      }
      return { totalUsage: toJson(total), runs: runs.map(({ id, tokens }) => ({ id, usage: toJson(tokens) })) };
    },
  };
}

function toJson({ input, output, cacheRead, cacheWrite }: TurnTokens) {
  return {
    inputTokens: input,
    outputTokens: output,
    cacheWriteTokens: cacheWrite,
    cacheReadTokens: cacheRead,
    totalTokens: input + output,
  };
}
