import { request } from "node:http";
import { request as requestSecurely } from "node:https";
import type { Socket } from "node:net";
import { bare, portOf } from "./proxy-rules.js";

/** Asks a proxy for a way through to a host. What comes back is as good as a connection of its own. */
export function openTunnel(proxy: URL, target: URL, signal: AbortSignal): Promise<Socket> {
  const authority = `${target.hostname}:${portOf(target)}`;
  const ask = proxy.protocol === "https:" ? requestSecurely : request;
  return new Promise((resolve, reject) => {
    const connecting = ask({
      host: bare(proxy.hostname),
      port: portOf(proxy),
      method: "CONNECT",
      path: authority,
      agent: false,
      signal,
      headers: { host: authority, ...credentialsOf(proxy) },
    });
    connecting.once("connect", ({ statusCode }, socket, head) => {
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket as Socket);
      }
      socket.destroy();
      reject(refusal(proxy, statusCode));
    });
    // Without this, an answer that is none to CONNECT would never end.
    connecting.once("response", (response) => {
      response.destroy();
      reject(refusal(proxy, response.statusCode));
    });
    connecting.once("error", (cause: NodeJS.ErrnoException) =>
      reject(new Error(`the proxy ${proxy.host} cannot be reached: ${cause.code ?? cause.message}`, { cause })),
    );
    connecting.end();
  });
}

function refusal(proxy: URL, status: number | undefined): Error {
  const hint = status === 407 ? ", it wants a user name and password" : "";
  return new Error(`the proxy ${proxy.host} answered with HTTP status ${status}${hint}`);
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
