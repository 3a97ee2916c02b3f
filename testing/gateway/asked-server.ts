import { onTestFinished } from "vitest";
import { RequestMemory } from "../../packages/gateway/fronts/http/request-memory.js";
import type { Batch } from "../../packages/gateway/turn/event.js";
import { postJson } from "../clients/post-json.js";
import { jsonPost, RawClient } from "../clients/raw-client.js";
import { ManualClock } from "../manual-clock.js";
import { type ScriptedServer, startScriptedServer } from "./scripted-server.js";

export type ServerOptions = NonNullable<Parameters<typeof startScriptedServer>[0]>;

export interface AskedServer extends ScriptedServer {
  ask(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** A client that sends and reads plain bytes. */
  connect(): Promise<RawClient>;
  /** The same after it has sent a body as JSON; `headers` are lines of the request's head. */
  send(path: string, body: unknown, headers?: string): Promise<RawClient>;
}

/** A server over a scripted backend for one test. Everything left open is closed at its end. */
export async function askedServer(options: ServerOptions = {}): Promise<AskedServer> {
  const server = await startScriptedServer({ steps: hello, ...options });
  onTestFinished(server.close);
  const connect = async () => {
    const client = await RawClient.connect(server.port);
    onTestFinished(() => void client.socket.destroy());
    return client;
  };
  return {
    ...server,
    ask: (path, init) => fetch(server.url + path, init),
    post: (path, body, headers) => postJson(server.url + path, body, headers),
    connect,
    async send(path, body, headers = "") {
      const client = await connect();
      client.send(jsonPost(path, body, { headers }));
      return client;
    },
  };
}

/** The same with a manual clock, and access to the memory of its requests. */
export async function stillServer(options: ServerOptions = {}) {
  const clock = new ManualClock();
  const memory = options.memory ?? new RequestMemory(1024 * 1024);
  return { ...(await askedServer({ ...options, clock, memory })), clock, memory };
}

export type StillServer = Awaited<ReturnType<typeof stillServer>>;

export const text = (delta: string): Batch => [{ type: "text", delta }];
export const finish: Batch = [{ type: "finish", reason: "stop" }];
export const hello: readonly Batch[] = [text("Hello"), finish];

/** A step of a script that waits until it is opened. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, waitFor: () => opened };
}
