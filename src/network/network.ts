import { type AgentOptions, type Agent as HttpAgent, Agent as PlainAgent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { Socket } from "node:net";
import { type DialWish, dial } from "./dial.js";
import { type FetchInit, fetchOver } from "./fetch-over.js";
import { type ProxyRules, proxyFor } from "./proxy-rules.js";
import { tunnelAgent } from "./tunnel-agent.js";

/** How Cursor is reached from here. Whatever is sent to it goes this way, so that proxies hold for all of it. */
export interface Network {
  /** A request and its whole answer, over HTTP/1.1. */
  fetch(url: URL | string, init?: FetchInit): Promise<Response>;
  /** For requests of node:http or node:https to this origin. */
  agentFor(origin: URL, options?: AgentOptions): HttpAgent;
  /** An open socket, for protocols of our own. */
  dial(url: URL, wish: DialWish): Promise<Socket>;
}

export function createNetwork(rules: ProxyRules = {}): Network {
  const agentFor = (origin: URL, options: AgentOptions = {}): HttpAgent => {
    const proxy = proxyFor(origin, rules);
    if (proxy !== undefined) return tunnelAgent(origin, proxy, options);
    return origin.protocol === "https:" ? new SecureAgent(options) : new PlainAgent(options);
  };
  return {
    agentFor,
    async fetch(url, init = {}) {
      const target = new URL(url);
      return fetchOver(agentFor(target), target, init);
    },
    dial: async (url, wish) => dial(url, proxyFor(url, rules), wish),
  };
}
