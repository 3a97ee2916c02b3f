import { randomUUID } from "node:crypto";
import type { ContentBlock, McpServer } from "@agentclientprotocol/sdk";
import type { Clock } from "../../../system/clock.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { approvalKey, SERVER_NAME } from "../mcp/approvals.js";
import { createToolServer, type McpAddress, type McpListener } from "../mcp/mcp-listener.js";
import { ParkedCalls } from "../mcp/parked-calls.js";
import type { AcpProcess, Prompting } from "./process.js";

interface SessionDeps {
  readonly process: AcpProcess;
  readonly tools: readonly ToolDefinition[];
  readonly listener: McpListener;
  readonly clock: Clock;
  readonly stillRunningMs: number;
}

/** One conversation with the CLI, and the MCP server through which it calls the client's tools. */
export class AcpSession {
  readonly calls: ParkedCalls;
  readonly process: AcpProcess;
  isOver = false;
  readonly #address: McpAddress | undefined;
  readonly #approved: readonly string[];
  readonly #forget: () => void;
  #sessionId = "";

  private constructor(process: AcpProcess, calls: ParkedCalls, address: McpAddress | undefined) {
    this.process = process;
    this.calls = calls;
    this.#address = address;
    this.#approved = address === undefined ? [] : approvalKeys(address, process.approvals?.root ?? "");
    this.#forget = process.onOver(() => this.close());
  }

  static async open({ process, tools, listener, clock, stillRunningMs }: SessionDeps): Promise<AcpSession> {
    const calls = new ParkedCalls({ tools, clock, stillRunningMs });
    const address = tools.length > 0 ? await listener.serve(() => createToolServer(tools, calls)) : undefined;
    const session = new AcpSession(process, calls, address);
    try {
      await process.approvals?.add(session.#approved);
      session.#sessionId = await process.openSession(address === undefined ? [] : [toServer(address)]);
      // A session with tools stays in agent mode: the other modes refuse calls of MCP tools.
      if (address === undefined) await process.askOnly(session.#sessionId);
    } catch (thrown) {
      session.close();
      throw thrown;
    }
    return session;
  }

  /** Whether the CLI has listed the tools. Some builds take a session's servers and never ask for their tools. */
  get knowsTools(): boolean {
    return this.calls.areToolsListed || this.#address === undefined;
  }

  prompt(content: readonly ContentBlock[], prompting: Prompting): Promise<string> {
    return this.process.prompt(this.#sessionId, content, prompting);
  }

  cancel(): void {
    this.process.cancel(this.#sessionId);
  }

  close(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#forget();
    this.calls.end();
    this.#address?.close();
    if (!this.process.isOver) this.process.approvals?.remove(this.#approved).catch(() => {}); // nothing depends on it
  }
}

function toServer({ url, authorization }: McpAddress): McpServer {
  return { type: "http", name: SERVER_NAME, url, headers: [{ name: "Authorization", value: authorization }] };
}

/** Builds differ in what they hash for the key; an extra key does no harm. */
function approvalKeys({ url, authorization }: McpAddress, root: string): string[] {
  const headers = { Authorization: authorization };
  const configs = [{ url, headers }, { url }, { type: "http", url, headers }, { type: "http", url }];
  return configs.map((config) => approvalKey(SERVER_NAME, root, config));
}

const PREFIX = "acp:";

/** Sessions between two turns, by a state that changes after each, so that no turn continues a session that has moved on. */
export class LiveSessions {
  readonly #maxSessions: number;
  readonly #sessions = new Map<string, AcpSession>();

  constructor(maxSessions: number) {
    this.#maxSessions = maxSessions;
  }

  keep(session: AcpSession): Uint8Array {
    for (const [name, kept] of this.#sessions) if (kept.isOver) this.#sessions.delete(name);
    for (const [name, oldest] of this.#sessions) {
      if (this.#sessions.size < this.#maxSessions) break;
      this.#sessions.delete(name);
      oldest.close();
    }
    const name = `${PREFIX}${randomUUID()}`;
    this.#sessions.set(name, session);
    return Buffer.from(name);
  }

  /** Removes the session and returns it, so that it belongs to the caller alone. */
  take(state: Uint8Array): AcpSession | undefined {
    const name = Buffer.from(state).toString();
    const session = this.#sessions.get(name);
    this.#sessions.delete(name);
    return session?.isOver === false ? session : undefined;
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }
}
