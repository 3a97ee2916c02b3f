import { randomUUID } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { badToken } from "../server/admission.js";
import { type Clock, systemClock } from "../server/clock.js";
import { pathOf, type SimRequest, type SimResponse } from "../server/node-http.js";
import { sendRefusal } from "../server/refusal.js";
import type { World } from "../server/world.js";
import { BlobMemory } from "./channels/blob-memory.js";
import { AbandonedIds } from "./run/abandoned-ids.js";
import { BreakMemory } from "./run/break-memory.js";
import { PrefixCache } from "./run/meter.js";
import type { Run } from "./run/run.js";
import { ToolMemory } from "./run/tool-memory.js";
import { takeRun, takeRunSse } from "./streams.js";
import { Appends } from "./transport/appends.js";
import { takeAppend } from "./transport/bidi-append.js";

export interface Agent {
  /** Returns false when the path is not one of the agent's. */
  handle(request: SimRequest, response: SimResponse): boolean;
  /** Ends every open run. */
  close(): void;
}

/** The status with which Cursor's load balancer refuses a bidirectional call over HTTP/1.1 (docs/protocol/wire.md, hosts). */
const UNBALANCEABLE = 464;

/** The simulated model, and the streams of its clients. */
export function createAgent(world: World, clock: Clock = systemClock): Agent {
  const appends = new Appends(clock);
  const open = new Set<Run>();
  const deps = {
    world,
    clock,
    newId: randomUUID,
    memory: new BlobMemory(),
    cache: new PrefixCache(),
    toolMemory: new ToolMemory(),
    abandoned: new AbandonedIds(),
    breakMemory: new BreakMemory(),
    open,
  };

  return {
    handle(request, response) {
      switch (pathOf(request)) {
        case "/agent.v1.AgentService/Run":
          if (request.httpVersionMajor >= 2 && world.options.transport === "h2") takeRun(request, response, deps);
          else {
            request.resume();
            response.writeHead(UNBALANCEABLE).end();
          }
          return true;
        case "/agent.v1.AgentService/RunSSE":
          takeRunSse(request, response, deps, appends);
          return true;
        case "/aiserver.v1.BidiService/BidiAppend": {
          const token = world.checkToken(request.headers.authorization);
          if (token.isValid) void takeAppend(request, response, appends, world.options.strict);
          else {
            request.resume();
            sendRefusal(response, badToken(token.reason));
          }
          return true;
        }
        default:
          return false;
      }
    },
    close() {
      for (const run of open) run.fail(new ConnectError("The simulator is shutting down.", Code.Unavailable));
      appends.close();
    },
  };
}
