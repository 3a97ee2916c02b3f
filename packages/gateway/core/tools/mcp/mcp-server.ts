import type { Client, Tool } from "@modelcontextprotocol/client";
import { settlesWithin } from "../../../system/clock.js";
import { anySignal, unlessAborted } from "../../../turn/any-signal.js";
import { isDeeperThan } from "../../../turn/canonical.js";
import { field, isObject } from "../../../turn/read-json.js";
import { reasonOf } from "../../../turn/reason-of.js";
import { MAX_ADDED_TOOL_DEPTH } from "../../../turn/request-limits.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import type { ConnectDeps } from "./connect.js";
import { failed, type ToolOutcome, toOutcome } from "./result-content.js";
import { hideSecrets, isAllowed, type McpServerConfig } from "./server-config.js";

/** The library is large and most gateways have no MCP server, so it is only loaded for one, after the start. */
export const loadConnect = () => import("./connect.js");

const LIST_MS = 20_000;
const MAX_PAGES = 20;
const MAX_TOOLS = 200;
/** A longer definition would fill the model's window before the conversation. */
const MAX_DEFINITION_CHARACTERS = 32_000;
const MAX_NAME_CHARACTERS = 100;
/** The back-off before the start after a failure. It doubles with each further failure. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface McpServerDeps extends ConnectDeps {
  readonly onProblem: (reason: string) => void;
  readonly onLeftOut: (tool: LeftOutTool) => void;
}

interface LeftOutTool {
  readonly name: string;
  readonly reason: string;
}

/** One MCP server: started lazily, kept running, and restarted with exponential back-off when it is lost. */
export class McpServer {
  readonly config: McpServerConfig;
  /** The last known list, which stays while the server is down: the tools that the model is offered must not come and go. */
  tools: readonly ToolDefinition[] = [];
  leftOut: readonly LeftOutTool[] = [];
  problem: string | undefined;
  readonly #deps: McpServerDeps;
  readonly #closing = new AbortController();
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  #listing: Promise<void> | undefined;
  /** When the newest start, or the newest request for the list, began. */
  #startedMs = 0;
  #isStale = true;
  #failures = 0;
  #notBeforeMs = 0;

  constructor(config: McpServerConfig, deps: McpServerDeps) {
    this.config = config;
    this.#deps = deps;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /** Waits at most this long since the start began: a hanging server delays only the first request, and none if its tools are known. */
  async refresh(waitMs: number): Promise<void> {
    const isDown = this.#client === undefined;
    if (!isDown && this.#listing === undefined) {
      if (!this.#isStale) return;
      this.#startedMs = this.#deps.clock.now();
    }
    const refreshing = this.#connect().then((client) => this.#list(client));
    refreshing.catch(() => {}); // reported by `problem`
    if (isDown && (this.tools.length > 0 || this.#failures > 0)) return;
    const { clock } = this.#deps;
    const leftMs = this.#startedMs + waitMs - clock.now();
    if (!(await settlesWithin(leftMs, refreshing, clock)))
      this.problem ??= `it has not answered within ${waitMs / 1_000} s`;
  }

  async call(tool: string, input: string, signal: AbortSignal): Promise<ToolOutcome> {
    const { name, timeoutMs } = this.config;
    const ending = anySignal([signal, this.#closing.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const parsed: unknown = JSON.parse(input.trim() === "" ? "{}" : input);
      if (!isObject(parsed)) throw new Error("the arguments must be one JSON object");
      const params = { name: tool, arguments: { ...parsed } };
      const givenUp = () => new Error("the call was given up");
      const client = await unlessAborted(this.#connect(), ending, givenUp);
      const options = { signal: ending, timeout: timeoutMs + 1_000 };
      const asked = client.request({ method: "tools/call", params }, options);
      const outcome = toOutcome(await unlessAborted(asked, ending, givenUp));
      this.#failures = 0;
      return outcome;
    } catch (thrown) {
      // The server no longer knows our session, so it needs a new one.
      if (field(thrown, "status") === 404) await this.#client?.close();
      const isLate = ending.aborted && !signal.aborted;
      const late = `The MCP server ${name} did not finish ${tool} within ${timeoutMs} ms; the call was given up.`;
      return failed(isLate ? late : `The MCP server ${name} could not run ${tool}: ${this.#reason(thrown)}`);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const client = this.#client ?? (await this.#connecting?.catch(() => undefined));
    this.#client = undefined;
    await client?.close().catch(() => {});
  }

  #connect(): Promise<Client> {
    if (this.#client !== undefined) return Promise.resolve(this.#client);
    if (this.#connecting === undefined) {
      this.#startedMs = this.#deps.clock.now();
      this.#connecting = this.#start().finally(() => {
        this.#connecting = undefined;
      });
    }
    return this.#connecting;
  }

  async #start(): Promise<Client> {
    const { clock } = this.#deps;
    const { signal } = this.#closing;
    const pauseMs = this.#notBeforeMs - clock.now();
    if (pauseMs > 0) await clock.sleep(pauseMs, signal);
    if (signal.aborted) throw new Error("Curlew is stopping");
    try {
      const { connect } = await loadConnect();
      const client = await connect(this.config, this.#deps, signal);
      if (signal.aborted) {
        await client.close();
        throw new Error("Curlew is stopping");
      }
      client.onclose = () => {
        if (this.#client !== client) return;
        this.#client = undefined;
        this.#failed("its connection was lost");
      };
      client.setNotificationHandler("notifications/tools/list_changed", () => {
        this.#isStale = true;
      });
      this.#client = client;
      this.#isStale = true;
      this.problem = undefined;
      return client;
    } catch (thrown) {
      this.#failed(this.#reason(thrown));
      throw thrown;
    }
  }

  #failed(why: string): void {
    this.problem = why;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures++;
    this.#notBeforeMs = this.#deps.clock.now() + pauseMs;
    if (!this.#closing.signal.aborted) this.#deps.onProblem(why);
  }

  #list(client: Client): Promise<void> {
    if (this.#isStale && this.#listing === undefined) {
      this.#listing = this.#listNow(client).finally(() => {
        this.#listing = undefined;
      });
    }
    return this.#listing ?? Promise.resolve();
  }

  async #listNow(client: Client): Promise<void> {
    this.#isStale = false; // a change during the request makes the list stale again
    try {
      const found: Tool[] = [];
      let cursor: string | undefined;
      if (client.getServerCapabilities()?.tools !== undefined) {
        for (let page = 0; page < MAX_PAGES && found.length < MAX_TOOLS; page++) {
          const params = cursor === undefined ? {} : { cursor };
          const { tools, nextCursor } = await client.request({ method: "tools/list", params }, { timeout: LIST_MS });
          found.push(...tools);
          cursor = nextCursor;
          if (cursor === undefined) break;
        }
      }
      this.#sortOut(found.slice(0, MAX_TOOLS).filter(({ name }) => isAllowed(name, this.config)));
      this.problem = undefined;
    } catch (thrown) {
      this.#isStale = true;
      this.problem ??= `its tools cannot be listed (${this.#reason(thrown)})`;
      throw thrown;
    }
  }

  /** The first line of an error, shortened and without the secrets of the configuration. */
  #reason(thrown: unknown): string {
    const text = reasonOf(thrown);
    return hideSecrets((text.split("\n")[0] ?? "").slice(0, 300), this.config);
  }

  #sortOut(found: readonly Tool[]): void {
    const known = new Set(this.leftOut.map(({ name }) => name));
    const tools: ToolDefinition[] = [];
    const leftOut: LeftOutTool[] = [];
    for (const { name, description = "", inputSchema } of found) {
      const tool = { name, description, inputSchema };
      const reason = whyNotOffered(tool);
      if (reason === undefined) tools.push(tool);
      else leftOut.push({ name: tool.name.slice(0, MAX_NAME_CHARACTERS), reason });
    }
    this.tools = tools;
    this.leftOut = leftOut;
    for (const tool of leftOut) if (!known.has(tool.name)) this.#deps.onLeftOut(tool);
  }
}

/** A single tool that Cursor cannot use would end every turn in which it is offered. */
function whyNotOffered(tool: ToolDefinition): string | undefined {
  if (isDeeperThan(tool.inputSchema, MAX_ADDED_TOOL_DEPTH)) {
    return `its schema goes deeper than ${MAX_ADDED_TOOL_DEPTH} levels`;
  }
  const isLong = JSON.stringify(tool).length > MAX_DEFINITION_CHARACTERS;
  return isLong ? `its definition is longer than ${MAX_DEFINITION_CHARACTERS} characters` : undefined;
}
