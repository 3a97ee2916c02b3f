import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { systemClock } from "../../clock.js";
import { isLoopback } from "../../config/loopback.js";
import { StartError } from "../prepare/start-error.js";
import { answerBrokenRequests, type BrokenRequestDeps } from "./broken-requests.js";
import { takeUpgrades } from "./upgrades.js";

/** This is longer than clients keep an idle connection, so that they close it and never write into one that is closing. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;

export interface Listener {
  /** The address for clients on this machine. */
  readonly url: string;
  /** Accepts no new connections; resolves when the last answer is written. */
  drain(): Promise<void>;
  drop(): void;
}

/**
 * Opens the port.
 *
 * @throws {StartError} `address_unavailable`, with the reason in words.
 */
export async function listen(
  handle: RequestListener,
  { host, port }: { host: string; port: number },
  { clock = systemClock, onTls = () => {} }: Partial<BrokenRequestDeps> = {},
): Promise<Listener> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, handle);
  answerBrokenRequests(server, { clock, onTls });
  server.on("request", (_, response) => {
    response.once("close", () => {
      // While draining, a connection that has just become idle must not delay the end.
      if (!server.listening) server.closeIdleConnections();
    });
  });
  // Node does not count these connections.
  const upgraded = new Set<Socket>();
  server.on("upgrade", ({ socket }) => {
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
  });
  takeUpgrades(server, handle);
  await open(server, host, port);
  const { address, port: realPort } = server.address() as AddressInfo;
  return {
    // `localhost` also means the address that we do not listen on. There another user can, and would get what is meant for us.
    url: localUrl(isLoopback(host) ? address : host, realPort),
    drain: () => new Promise((resolve) => server.close(() => resolve())),
    drop() {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
    },
  };
}

function open(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenFailure(error, host, port)));
    server.listen(port, host.replace(/^\[|\]$/g, ""), resolve);
  });
}

/** A StartError that says why a port cannot be opened; any other error as it is. */
export function listenFailure(thrown: unknown, host: string, port: number): unknown {
  const code = thrown instanceof Error && "syscall" in thrown && "code" in thrown ? thrown.code : undefined;
  if (code === undefined) return thrown;
  const noAddress = `This machine has no address ${host}. Choose another with --host.`;
  const isAddress = code === "EADDRNOTAVAIL" || code === "ENOTFOUND";
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for any free one.`,
    EACCES: `Port ${port} on ${host} may not be opened by this user. Choose one above 1023 with --port.`,
    EADDRNOTAVAIL: noAddress,
    ENOTFOUND: noAddress,
  };
  const reason = reasons[String(code)] ?? `Port ${port} on ${host} cannot be opened (${String(code)}).`;
  const settings = isAddress ? (["host"] as const) : (["port", "host"] as const);
  return new StartError("address_unavailable", reason, { cause: thrown, settings });
}

/** The address under which programs on this machine reach the one that we listen on. */
export function localUrl(host: string, port: number): string {
  const name = host.replace(/^\[|\]$/g, "");
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "::1" }[name] ?? name;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
