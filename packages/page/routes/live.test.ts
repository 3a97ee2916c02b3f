import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { publish } from "@curlew/gateway/turn/events/channels.js";
import { expect, it, onTestFinished } from "vitest";
import { serveRoutes } from "../../../testing/gateway/serve-gateway.js";
import { sampleRecord } from "../../../testing/ledger/sample-requests.js";
import { ManualClock } from "../../../testing/manual-clock.js";
import { serveHttp } from "../../../testing/network/serve-http.js";
import { LiveFeed } from "../views/live-feed.js";
import { serveLive } from "./live.js";

/** A feed on a real port whose state is new and large every time, and a page that has requested it but does not read. */
async function serveLargeFeed(closing?: AbortSignal) {
  const clock = new ManualClock();
  const text = "x".repeat(200_000);
  let count = 0;
  const feed = new LiveFeed({
    gatewayId: "gateway",
    clock,
    live: () => ({ requests: [], moreRequests: count++, waiting: [], moreWaiting: 0, text }),
    health: () => ({}) as never,
    today: () => new Promise(() => {}),
    onProblem: (problem) => {
      throw problem;
    },
  });
  const responses: ServerResponse[] = [];
  const listener = serveRoutes([{ method: "GET", path: "/live", serve: serveLive(feed, closing) }]);
  const url = await serveHttp((request, response) => {
    responses.push(response);
    listener(request, response);
  });
  const tick = async () => {
    publish("curlew:request:first-byte", sampleRecord("one", clock.now()));
    clock.advance(300);
    await setImmediate();
  };
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.write("GET /live HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await expect.poll(() => feed.size).toBe(1);
  return { feed, socket, responses, tick };
}

it("a page that does not read is sent nothing more, and catches up when it reads", async () => {
  const { socket, responses, tick } = await serveLargeFeed();
  for (let count = 0; count < 120; count++) await tick();
  const [response] = responses;
  // 24 MB were due. The system has taken all but a message or two.
  expect(response?.writableNeedDrain).toBe(true);
  expect(response?.writableLength).toBeLessThan(1_000_000);
  let newest = 0;
  socket.setEncoding("latin1").on("data", (piece: string) => {
    for (const [, count] of piece.matchAll(/"moreRequests":(\d+),/g)) newest = Number(count);
  });
  socket.resume();
  await expect
    .poll(async () => {
      await tick();
      return newest;
    })
    .toBeGreaterThan(119);
});

it("a page that leaves is forgotten at once", async () => {
  const { feed, socket } = await serveLargeFeed();
  socket.destroy();
  await expect.poll(() => feed.size).toBe(0);
});

it("a gateway that stops does not wait for a page that does not read", async () => {
  const closing = new AbortController();
  const { feed, responses, tick } = await serveLargeFeed(closing.signal);
  await expect
    .poll(async () => {
      await tick();
      return responses[0]?.writableNeedDrain;
    })
    .toBe(true);
  closing.abort();
  await expect.poll(() => feed.size).toBe(0);
});
