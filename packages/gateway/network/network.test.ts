import { once } from "node:events";
import { type RequestListener, request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ConnectProxy, startConnectProxy } from "../../../testing/network/connect-proxy.js";
import { serveHttp } from "../../../testing/network/serve-http.js";
import { ask } from "./ask.js";
import { createNetwork, type Network, requestTo } from "./network.js";

let proxy: ConnectProxy;
let network: Network;
let url: string;
const answer: RequestListener = (incoming, response) => {
  if (incoming.url === "/moved") return void response.writeHead(302, { location: "http://elsewhere.test/" }).end();
  incoming.setEncoding("utf8");
  let body = "";
  incoming.on("data", (text: string) => {
    body += text;
  });
  incoming.on("end", () => {
    response.writeHead(201, { "x-seen": String(incoming.headers["x-sent"]) });
    response.end(JSON.stringify({ host: incoming.headers.host, method: incoming.method, body }));
  });
};

beforeEach(async () => {
  proxy = await startConnectProxy();
  url = await serveHttp(answer);
  proxy.leadTo(url);
  network = createNetwork({ proxy: proxy.url.replace("://", "://me:p%40ss@"), noProxy: ["direct.test"] });
});
afterEach(() => proxy.close());

const say = { method: "POST", headers: { "x-sent": "yes" }, body: "grüße" };

describe("a call through a proxy", () => {
  it("reaches its host in a tunnel, with the proxy's credentials and none of the proxy's to the host", async () => {
    const response = await network.fetch("http://cursor.test/path", say);
    expect([response.status, response.header("x-seen")]).toEqual([201, "yes"]);
    expect(JSON.parse(String(response.body))).toEqual({ host: "cursor.test", method: "POST", body: "grüße" });
    const authorization = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    expect(proxy.asked).toEqual([{ authority: "cursor.test:80", authorization }]);
  });

  it("uses one tunnel for many requests if the agent keeps it", async () => {
    const origin = new URL("http://cursor.test:8080");
    const agent = network.agentFor(origin, { keepAlive: true, maxSockets: 1 });
    for (let round = 0; round < 3; round++) {
      const [response] = await once(request(origin, { agent }).end(), "response");
      await once(response.resume(), "end");
    }
    expect(proxy.asked.map(({ authority }) => authority)).toEqual(["cursor.test:8080"]);
    agent.destroy();
  });

  it("may be left in the tick in which its answer ends", async () => {
    const origin = new URL(url);
    const agent = network.agentFor(origin, { keepAlive: true });
    const leaving = new AbortController();
    const sending = requestTo(origin, { agent, signal: leaving.signal });
    const [response] = await once(sending.end(), "response");
    response.once("data", () => leaving.abort());
    await once(sending, "close"); // with Node's own `signal`, Vitest would report an uncaught error here
    expect(sending.destroyed).toBe(true);
    agent.destroy();
  });

  it("follows no redirect", async () => {
    expect((await network.fetch("http://cursor.test/moved")).status).toBe(302);
  });

  it("ends when its caller leaves", async () => {
    const signal = AbortSignal.abort();
    await expect(network.fetch("http://cursor.test/", { signal })).rejects.toThrow(/abort/i);
  });

  it.each([
    [407, "refuses the user name and password in HTTPS_PROXY"],
    [403, "HTTP status 403"],
  ])("reports a refusal by the proxy (%i), without its password", async (status, text) => {
    proxy.refuse(status);
    const failure = await network.fetch("http://cursor.test/").catch((thrown: Error) => thrown);
    expect(String(failure)).toContain(text);
    expect(String(failure)).not.toContain("p%40ss");
  });

  it.each([
    [407, "refuses the user name and password in HTTPS_PROXY"],
    [302, "a redirect: sign in to this network"],
  ])("is not worth a retry when the proxy answers with %i, and says what to do", async (status, text) => {
    proxy.refuse(status);
    const asked = ask(network, new URL("http://cursor.test/"), { signal: AbortSignal.timeout(60_000) });
    await expect(asked).rejects.toMatchObject({
      code: "upstream_unreachable", // the breaker never holds this back, so that a fix works at once
      isRetryable: false,
      message: expect.stringContaining(text),
    });
  });

  it("may pass when the proxy itself finds no way", async () => {
    proxy.refuse(503);
    const asked = ask(network, new URL("http://cursor.test/"), { signal: AbortSignal.timeout(60_000) });
    await expect(asked).rejects.toMatchObject({ code: "upstream_unreachable", isRetryable: true });
  });

  it("reports an unreachable proxy", async () => {
    await proxy.close();
    await expect(network.fetch("http://cursor.test/")).rejects.toThrow(/the proxy 127\.0\.0\.1:\d+ cannot be reached/);
    proxy = await startConnectProxy();
  });
});

it("bypasses the proxy for this machine itself", async () => {
  expect((await network.fetch(url, say)).status).toBe(201);
  const [response] = await once(request(url, { agent: network.agentFor(new URL(url)) }).end(), "response");
  await once(response.resume(), "end");
  expect(proxy.asked).toEqual([]);
});
