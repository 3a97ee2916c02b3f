import { Readable, Writable } from "node:stream";
import {
  type ClientConnection,
  type ContentBlock,
  client,
  type McpServer,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import { GatewayError } from "../../../turn/error.js";
import { field, listField, textField } from "../../../turn/read-json.js";
import { cliMissing, toCliError } from "../errors.js";
import { Approvals, projectRoot } from "../mcp/approvals.js";
import type { CliProcess } from "../process.js";
import type { Workspace } from "../workspace.js";
import { isClientTool } from "./decode.js";

/** The only method of the CLI (docs/protocol/wire.md, command line). */
const LOGIN_METHOD = "cursor_login";
const asItIs = (params: unknown) => params;

export interface Prompting {
  onUpdate(update: unknown): void;
  judge(words: string): GatewayError;
}

export class AcpProcess {
  approvals: Approvals | undefined;
  readonly #process: CliProcess;
  readonly #workspace: Workspace;
  readonly #connection: ClientConnection;
  readonly #listeners = new Map<string, (update: unknown) => void>();
  readonly #overCallbacks = new Set<() => void>();
  #users = 0;
  #isRetired = false;
  #stopped: Promise<void> | undefined;

  constructor(process: CliProcess, workspace: Workspace) {
    this.#process = process;
    this.#workspace = workspace;
    const output = Writable.toWeb(process.stdin) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(process.stdout) as ReadableStream<Uint8Array>;
    this.#connection = client({ name: "curlew" })
      .onNotification("session/update", asItIs, ({ params }) => {
        this.#listeners.get(textField(params, "sessionId"))?.(field(params, "update"));
      })
      .onNotification("*", () => {})
      .onRequest("session/request_permission", asItIs, ({ method, params }) => answerQuestion(method, params))
      .onRequest("*", ({ method, params }) => {
        const answer = answerQuestion(method, params);
        if (answer === undefined) throw RequestError.methodNotFound(method);
        return answer;
      })
      .connect(ndJsonStream(output, input));
    void this.#connection.closed.then(() => this.stop());
  }

  get isRetired(): boolean {
    return this.#isRetired || this.isOver;
  }

  get isOver(): boolean {
    return this.#stopped !== undefined;
  }

  get isHeld(): boolean {
    return this.#users > 0;
  }

  async greet(): Promise<void> {
    const { path, dataFolder } = this.#workspace;
    this.approvals = new Approvals(dataFolder, await projectRoot(path));
    await this.#ask("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "curlew", version: "1" },
    });
  }

  /** Logs in with the CLI's own login. Without one this never returns, because the CLI waits for a login in a browser. */
  async authenticate(): Promise<void> {
    await this.#ask("authenticate", { methodId: LOGIN_METHOD });
  }

  async openSession(mcpServers: readonly McpServer[]): Promise<string> {
    const answer = await this.#ask("session/new", { cwd: this.#workspace.path, mcpServers });
    const sessionId = textField(answer, "sessionId");
    if (sessionId === "") throw new GatewayError("upstream_error", "The Cursor CLI opened no session. Try again.");
    return sessionId;
  }

  /** Puts the session into ask mode, in which it changes nothing. */
  async askOnly(sessionId: string): Promise<void> {
    await this.#ask("session/set_mode", { sessionId, modeId: "ask" });
  }

  async prompt(sessionId: string, prompt: readonly ContentBlock[], { onUpdate, judge }: Prompting): Promise<string> {
    this.#listeners.set(sessionId, onUpdate);
    try {
      const answer = await this.#ask("session/prompt", { sessionId, prompt }, judge);
      // The library resolves a response before it delivers the updates that came before it.
      await new Promise(setImmediate);
      return textField(answer, "stopReason");
    } finally {
      this.#listeners.delete(sessionId);
    }
  }

  cancel(sessionId: string): void {
    this.#connection.agent.notify("session/cancel", { sessionId }).catch(() => {}); // the process has ended by itself
  }

  /** Keeps the process from being stopped as idle or retired until the returned function is called. */
  hold(): () => void {
    this.#users++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#users--;
      this.#stopIfFree();
    };
  }

  /** Takes no new sessions, and ends when the last holder releases the process. */
  retire(): void {
    this.#isRetired = true;
    this.#stopIfFree();
  }

  onOver(callback: () => void): () => void {
    this.#overCallbacks.add(callback);
    return () => this.#overCallbacks.delete(callback);
  }

  stop(): Promise<void> {
    if (this.#stopped === undefined) {
      this.#stopped = this.#process.stop().then(async () => {
        this.#connection.close();
        await this.approvals?.settled();
        await this.#workspace.remove();
      });
      for (const callback of this.#overCallbacks) callback();
    }
    return this.#stopped;
  }

  #stopIfFree(): void {
    if (this.#isRetired && this.#users === 0) void this.stop();
  }

  async #ask(method: string, params: object, judge: Prompting["judge"] = toCliError): Promise<unknown> {
    try {
      return await this.#connection.agent.request<unknown>(method, params);
    } catch (thrown) {
      if (thrown instanceof RequestError) throw judge(`${thrown.message} ${JSON.stringify(thrown.data ?? "")}`);
      throw await this.#lost();
    }
  }

  /** The error for a process that ended in the middle of something. Its last words usually give the reason. */
  async #lost(): Promise<GatewayError> {
    const { failure } = await this.#process.stop();
    if (failure !== undefined) return cliMissing(failure.message);
    const words = this.#process.stderr.trim();
    if (words !== "") return toCliError(words);
    const said = "The Cursor CLI ended in the middle of a turn without an error message. Try again.";
    return new GatewayError("upstream_error", said, { isRetryable: true });
  }
}

/** Allows the client's own tools and declines the rest. An unanswered question would stall the turn, an error can end it. */
export function answerQuestion(method: string, params: unknown): unknown {
  switch (method) {
    case "session/request_permission": {
      const kind = isClientTool(field(params, "toolCall")) ? "allow_once" : "reject_once";
      const option = listField(params, "options").find((each) => textField(each, "kind") === kind);
      if (option === undefined) return { outcome: { outcome: "cancelled" } };
      return { outcome: { outcome: "selected", optionId: textField(option, "optionId") } };
    }
    case "cursor/ask_question":
      return { outcome: { outcome: "cancelled" } };
    case "cursor/create_plan":
      return { outcome: { outcome: "rejected" } };
    default:
      return method.startsWith("cursor/") ? {} : undefined;
  }
}
