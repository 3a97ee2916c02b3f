import type { Agent } from "node:http";
import type { Network } from "../../../network/index.js";
import { GatewayError } from "../../../turn/error.js";
import type { RunChannel, RunSink } from "./run-channel.js";
import { SseRun, type SseRunDeps } from "./sse-run.js";

/** Each open run has a socket of its own. */
const MAX_RUNS = 512;
/** All runs share those of the appends, which are short. */
const MAX_APPEND_SOCKETS = 32;
const MAX_IDLE_SOCKETS = 8;

type RunFacts = Omit<SseRunDeps, "runAgent" | "appendAgent" | "onOver">;

/** The sockets of all runs over HTTP/1.1, kept warm per host. */
export class Http1Road {
  readonly #network: Pick<Network, "agentFor">;
  readonly #agents = new Map<string, { run: Agent; append: Agent }>();
  #openRuns = 0;

  constructor(network: Pick<Network, "agentFor">) {
    this.#network = network;
  }

  open(facts: RunFacts, sink: RunSink): RunChannel {
    if (this.#openRuns >= MAX_RUNS) {
      const text = `Curlew has ${MAX_RUNS} runs open over HTTP/1.1 and begins no more. Try again in a moment.`;
      throw new GatewayError("overloaded", text, { isRetryable: true });
    }
    const { run, append } = this.#agentsFor(facts.origin);
    this.#openRuns += 1;
    const onOver = () => {
      this.#openRuns -= 1;
    };
    return new SseRun(sink, { ...facts, runAgent: run, appendAgent: append, onOver });
  }

  close(): void {
    for (const { run, append } of this.#agents.values()) {
      run.destroy();
      append.destroy();
    }
    this.#agents.clear();
  }

  #agentsFor(origin: string): { run: Agent; append: Agent } {
    const found = this.#agents.get(origin);
    if (found !== undefined) return found;
    const options = { keepAlive: true, noDelay: true, maxFreeSockets: MAX_IDLE_SOCKETS };
    const url = new URL(origin);
    const agents = {
      run: this.#network.agentFor(url, options),
      append: this.#network.agentFor(url, { ...options, maxSockets: MAX_APPEND_SOCKETS }),
    };
    this.#agents.set(origin, agents);
    return agents;
  }
}
