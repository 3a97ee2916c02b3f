import { connect } from "node:http2";
import type { Network } from "../../network/index.js";
import { type Finding, fail, ok, reasonOf } from "./finding.js";

const TIMEOUT_MS = 10_000;

/** Opens an HTTP/2 connection to the agent host, waits for its SETTINGS and for the answer to a PING. */
export async function checkHttp2(agentUrl: string, network: Pick<Network, "dial">): Promise<Finding> {
  const { origin } = new URL(agentUrl);
  try {
    const { pingMs, maxStreams } = await exchangePing(origin, network);
    const streams = maxStreams === undefined ? "" : `, ${maxStreams} streams at once`;
    return ok("http/2", `${origin} answers a PING in ${Math.max(1, Math.round(pingMs))} ms${streams}.`);
  } catch (thrown) {
    const why = `${origin} does not speak HTTP/2 with us: ${reasonOf(thrown)}. A proxy on the way may be why.`;
    return fail("http/2", why, `curl -v --http2 ${origin}`);
  }
}

async function exchangePing(origin: string, network: Pick<Network, "dial">) {
  const socket = await network.dial(new URL(origin), { alpn: ["h2"], signal: AbortSignal.timeout(TIMEOUT_MS) });
  return new Promise<{ pingMs: number; maxStreams: number | undefined }>((resolve, reject) => {
    const session = connect(origin, { createConnection: () => socket });
    const timer = setTimeout(() => session.destroy(new Error("no answer in time")), TIMEOUT_MS);
    session.once("error", reject);
    session.once("close", () => {
      clearTimeout(timer);
      reject(new Error("it closed the connection"));
    });
    session.once("remoteSettings", ({ maxConcurrentStreams }) => {
      session.ping((error, pingMs) => {
        if (error !== null) reject(error);
        // This is Node's value for a limit that the server does not set.
        else resolve({ pingMs, maxStreams: maxConcurrentStreams === 0xffffffff ? undefined : maxConcurrentStreams });
        session.close();
      });
    });
  });
}
