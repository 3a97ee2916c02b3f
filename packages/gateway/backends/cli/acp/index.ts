import { type Clock, settlesWithin } from "../../../system/clock.js";
import { GatewayError } from "../../../turn/error.js";
import type { Backend } from "../../backend.js";
import type { RunnerDeps } from "../cli.js";
import { toCliError } from "../errors.js";
import { modelArgument } from "../listings.js";
import { McpListener } from "../mcp/mcp-listener.js";
import { checkWorkspace } from "../workspace.js";
import { AcpExchange, type AcpExchangeDeps } from "./exchange.js";
import { type AcpLimits, AcpPool, type ProcessPurpose } from "./pool.js";
import { AcpProcess } from "./process.js";
import { AcpSession, LiveSessions } from "./session.js";

export { type AcpLimits, defaultAcpLimits } from "./pool.js";

/** Cursor keeps its built-in tools from the model where a request lists the allowed ones (docs/protocol/wire.md, tools). */
const ONLY_MCP_TOOLS = "x-cursor-agent-allowed-tools: mcp_tool_call,get_mcp_tools_tool_call";

export type AcpRunner = Pick<Backend, "start" | "close">;

export function createAcpRunner(
  { cli, workspaceRoots, limits, clock }: RunnerDeps<AcpLimits>,
  instead?: AcpExchangeDeps["instead"],
): AcpRunner {
  const listener = new McpListener();
  const live = new LiveSessions(limits.maxLiveSessions);
  const pool = new AcpPool({ open: openProcess, clock, limits });

  async function openProcess({ model, workspace: named }: ProcessPurpose): Promise<AcpProcess> {
    if (!cli.hasKey && (await cli.login()) === "logged-out") throw notLoggedIn();
    const workspace = await cli.workspaces.open(named);
    const args = ["--model", model, "--workspace", workspace.path, "--trust", "-H", ONLY_MCP_TOOLS, "acp"];
    const started = await cli.start(args, workspace).catch(async (thrown: unknown) => {
      await workspace.remove();
      throw thrown;
    });
    const process = new AcpProcess(started, workspace);
    try {
      await withinTime(process.greet(), limits.startMs, clock, notReady);
      // A key needs no login, and asking for one may open a browser.
      if (!cli.hasKey) await withinTime(process.authenticate(), limits.startMs, clock, notLoggedIn);
    } catch (thrown) {
      cli.forgetLogin();
      await process.stop();
      throw thrown;
    }
    return process;
  }

  return {
    start: (turn, context) =>
      new AcpExchange(turn, context, {
        clock,
        limits,
        instead,
        keep: (session) => live.keep(session),
        onLoginRefused: ({ process }) => {
          cli.forgetLogin();
          process.retire();
        },
        resume: (state) => {
          const session = live.take(state);
          return session && { session, release: session.process.hold() };
        },
        open: async ({ tools, workspace: named }, { model }) => {
          const workspace = named === undefined ? undefined : await checkWorkspace(named, workspaceRoots);
          const { process, release } = await pool.take({ model: modelArgument(model), workspace });
          try {
            const opening = AcpSession.open({ process, tools, listener, clock, stillRunningMs: limits.stillRunningMs });
            return { session: await withinTime(opening, limits.startMs, clock, notReady), release };
          } catch (thrown) {
            process.retire();
            release();
            throw thrown;
          }
        },
      }),
    async close() {
      live.close();
      await pool.close();
      await listener.close();
    },
  };
}

function notReady(): GatewayError {
  return new GatewayError("timeout", "The Cursor CLI did not get ready in time. Try again.", { isRetryable: true });
}

function notLoggedIn(): GatewayError {
  return toCliError("Not logged in");
}

async function withinTime<Value>(promise: Promise<Value>, ms: number, clock: Clock, late: () => Error): Promise<Value> {
  if (!(await settlesWithin(ms, promise, clock))) throw late();
  return promise;
}
