import * as mcp from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Clock } from "../../../system/clock.js";
import { type McpServerConfig, serverEnvironment } from "./server-config.js";
import { StdioTransport } from "./stdio-transport.js";

/** A launcher may have to download the server first. */
const CONNECT_MS = 60_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export interface ConnectDeps {
  readonly clock: Clock;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onStderr: (text: string) => void;
}

/** @throws Error when the server does not start, does not answer in time or refuses the connection. */
export async function connect(config: McpServerConfig, deps: ConnectDeps, signal: AbortSignal): Promise<mcp.Client> {
  const open = async (transport: mcp.Transport): Promise<mcp.Client> => {
    const client = new mcp.Client({ name: "curlew", version: deps.version });
    try {
      await client.connect(transport, { timeout: CONNECT_MS, signal });
    } catch (thrown) {
      await client.close().catch(() => {});
      await transport.close().catch(() => {});
      throw thrown;
    }
    return client;
  };
  if (config.url === undefined) return open(stdio(config, deps));
  const url = new URL(config.url);
  const options = { requestInit: { headers: { ...config.headers } }, fetch: limitedFetch };
  const sse = () => open(new mcp.SSEClientTransport(url, options));
  if (config.transport === "sse") return sse();
  try {
    return await open(new mcp.StreamableHTTPClientTransport(url, options));
  } catch (thrown) {
    // The statuses with which servers of the older transport answer a POST.
    const isRefused = thrown instanceof mcp.SdkHttpError && [400, 404, 405].includes(thrown.status);
    if (config.transport === "http" || !isRefused) throw thrown;
    return sse();
  }
}

function stdio({ command = "", args, env, cwd }: McpServerConfig, deps: ConnectDeps): mcp.Transport {
  const environment = serverEnvironment(deps.env, env);
  if (process.platform === "win32") {
    // Launchers are scripts on Windows, which only a shell can start; the library quotes for it.
    return new StdioClientTransport({
      command,
      args: [...args],
      env: environment,
      stderr: "ignore",
      ...(cwd && { cwd }),
    });
  }
  return new StdioTransport({ command, args, env: environment, cwd, clock: deps.clock, onStderr: deps.onStderr });
}

/** A fetch with a size limit for responses to a message. The standing stream of a server (a GET) has none. */
async function limitedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (init?.method !== "POST" || response.body === null) return response;
  let left = MAX_ANSWER_BYTES;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left < 0) controller.error(new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}
