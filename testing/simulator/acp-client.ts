import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Machine } from "./cli-process.js";

export interface Message {
  id?: number;
  method?: string;
  params?: { sessionId?: string; update?: Update; [name: string]: unknown };
  result?: unknown;
  error?: { code: number; message: string };
}

export interface Update {
  sessionUpdate: string;
  content?: { text: string };
  [name: string]: unknown;
}

/** The client's end of ACP, line by line. */
export class AcpClient {
  readonly child: ReturnType<Machine["start"]>;
  readonly received: Message[] = [];
  /** The answers to the agent's questions. */
  answer: (method: string, params: Message["params"]) => unknown = () => ({});
  readonly #waiting = new Set<() => void>();
  #nextId = 1;

  constructor(machine: Machine, args: readonly string[] = ["acp"], env: Record<string, string> = {}) {
    this.child = machine.start(args, env);
    this.child.stdin.on("error", () => {});
    createInterface(this.child.stdout).on("line", (line) => {
      const message = JSON.parse(line) as Message;
      this.received.push(message);
      if (message.method !== undefined && message.id !== undefined) {
        const result = this.answer(message.method, message.params);
        if (result !== undefined) this.send({ id: message.id, result });
      }
      for (const look of this.#waiting) look();
    });
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** The answer, a result or an error. */
  async request(method: string, params: object = {}): Promise<Message> {
    const id = this.#nextId++;
    this.send({ id, method, params });
    return this.until((message) => message.id === id && message.method === undefined);
  }

  async result<Result>(method: string, params: object = {}): Promise<Result> {
    const { result, error } = await this.request(method, params);
    if (error !== undefined) throw new Error(error.message);
    return result as Result;
  }

  until(isIt: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.received.find(isIt);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  async newSession(cwd: string, mcpServers: readonly object[] = []): Promise<string> {
    return (await this.result<{ sessionId: string }>("session/new", { cwd, mcpServers })).sessionId;
  }

  prompt(sessionId: string, text: string): Promise<Message> {
    return this.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  updates(sessionId: string): Update[] {
    return this.received.flatMap(({ params }) =>
      params?.sessionId === sessionId && params.update ? [params.update] : [],
    );
  }

  said(sessionId: string, kind = "agent_message_chunk"): string {
    const chunks = this.updates(sessionId).filter(({ sessionUpdate }) => sessionUpdate === kind);
    return chunks.map(({ content }) => content?.text ?? "").join("");
  }

  async close(): Promise<unknown[]> {
    this.child.stdin.end();
    return once(this.child, "exit");
  }
}
