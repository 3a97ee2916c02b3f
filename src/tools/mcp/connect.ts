import type { Client, Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../clock.js";
import type { McpServerConfig } from "./server-config.js";

/** A launcher may have to download the server first. */
const CONNECT_MS = 60_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The variables that a program needs for its files, the network and the locale. No others are passed on. */
const PASSED_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(HTTPS?|ALL|NO)_PROXY|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH)$/i;

const PROXY_VARIABLE = /^(HTTPS?|ALL)_PROXY$/i;

export interface ConnectDeps {
  readonly clock: Clock;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onStderr: (text: string) => void;
}

/**
 * Connects to a server over the transport of its entry.
 * @throws Error when the server does not start, does not answer in time or refuses the connection.
 */
export async function connect(config: McpServerConfig, deps: ConnectDeps, signal: AbortSignal): Promise<Client> {
  // Loaded late: most gateways have no MCP server, and the library is large.
  const mcp = await import("@modelcontextprotocol/client");
  const open = async (transport: Transport): Promise<Client> => {
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
  if (config.url === undefined) return open(await stdio(config, deps));
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

async function stdio({ command = "", args, env, cwd }: McpServerConfig, deps: ConnectDeps): Promise<Transport> {
  const environment = serverEnvironment(deps.env, env);
  if (process.platform === "win32") {
    // Launchers are scripts on Windows, which only a shell can start; the library quotes for it.
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    return new StdioClientTransport({
      command,
      args: [...args],
      env: environment,
      stderr: "ignore",
      ...(cwd && { cwd }),
    });
  }
  const { StdioTransport } = await import("./stdio-transport.js");
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

/** Our variables that name a proxy together with its password. Servers do not get these by default. */
export function proxiesWithPassword(ours: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(ours).filter((name) => PROXY_VARIABLE.test(name) && ours[name]?.includes("@"));
}

/** The environment of a server: our harmless variables, and those in its own entry. */
export function serverEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  const secret = new Set(proxiesWithPassword(ours));
  for (const [name, value] of Object.entries(ours)) {
    if (value && PASSED_VARIABLES.test(name) && !secret.has(name)) env[name] = value;
  }
  return { ...env, ...own };
}
