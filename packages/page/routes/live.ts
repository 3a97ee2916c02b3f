import type { IncomingMessage, ServerResponse } from "node:http";
import type { Serve } from "@curlew/gateway/fronts/http/router.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { LiveFeed, LiveListener } from "../views/index.js";

/** The limit of open pages; more than are ever in use. */
const MAX_STREAMS = 16;

/** Streams the live state, until the page leaves or the gateway stops. */
export function serveLive(feed: LiveFeed, closing: AbortSignal | undefined): Serve {
  const open = new Set<ServerResponse>();
  closing?.addEventListener("abort", () => {
    for (const outgoing of open) {
      // A page that does not read would never get to the end, and block the shutdown.
      if (outgoing.writableNeedDrain) outgoing.destroy();
      else outgoing.end();
    }
  });
  return ({ incoming, outgoing }) => {
    if (incoming.method === "HEAD") return { status: 200, headers: {}, body: "" };
    if (closing?.aborted === true) throw new GatewayError("shutting_down", "The gateway is stopping.");
    if (feed.size >= MAX_STREAMS) {
      const text = `${MAX_STREAMS} pages are open already, and no more can be kept up to date.`;
      throw new GatewayError("rate_limit_exceeded", `${text} Close one of them and load this page again.`);
    }
    open.add(outgoing);
    stream(feed, incoming, outgoing, () => open.delete(outgoing));
    return undefined;
  };
}

function stream(feed: LiveFeed, incoming: IncomingMessage, outgoing: ServerResponse, onLeft: () => void): void {
  outgoing.writeHead(200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
  outgoing.flushHeaders(); // the page waits for the status, and the first message may take a moment
  const joined = feed.join(listenerOn(outgoing));
  const leave = () => {
    joined.leave();
    incoming.socket.off("close", leave);
    onLeft();
  };
  outgoing.on("error", () => {}); // the page has left, which `close` reports too
  outgoing.on("close", leave);
  incoming.socket.on("close", leave); // a pipelined response that waits for another gets no event
}

function listenerOn(outgoing: ServerResponse): LiveListener {
  return {
    get isReady() {
      return !outgoing.writableNeedDrain;
    },
    send: (bytes) => void outgoing.write(bytes),
    end: () => void outgoing.destroy(),
  };
}
