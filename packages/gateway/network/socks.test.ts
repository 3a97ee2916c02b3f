import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serveHttp } from "../../../testing/network/serve-http.js";
import { type SocksProxy, startSocksProxy } from "../../../testing/network/socks-proxy.js";
import { createNetwork, type Network } from "./network.js";

let proxy: SocksProxy;
let host: string;
beforeEach(async () => {
  proxy = await startSocksProxy();
  host = await serveHttp((incoming, response) => void response.end(`answered ${incoming.headers.host}`));
  proxy.leadTo(host);
});
afterEach(() => proxy.close());

const through = (scheme: string, credentials = ""): Network =>
  createNetwork({ proxy: `${scheme}://${credentials}127.0.0.1:${proxy.port}`, noProxy: ["direct.test"] });

async function failureOf(network: Network): Promise<string> {
  return String(await network.fetch("http://cursor.test/").catch((thrown: Error) => thrown));
}

describe("a call through a SOCKS proxy", () => {
  it.each(["socks5h", "socks"])("leaves the name of its host to the proxy: %s", async (scheme) => {
    const response = await through(scheme).fetch("http://cursor.test:8080/");
    expect(String(response.body)).toBe("answered cursor.test:8080");
    expect(proxy.asked).toEqual([{ host: "cursor.test", port: 8080, user: undefined }]);
  });

  it("looks the name of its host up by itself with socks5", async () => {
    // The only name that every machine knows is its own, and nothing goes to it through a proxy.
    const { openSocks } = await import("./socks.js");
    const url = new URL(`socks5://127.0.0.1:${proxy.port}`);
    const socket = await openSocks(url, new URL("https://localhost"), new AbortController().signal);
    socket.destroy();
    expect(proxy.asked).toMatchObject([{ host: expect.stringMatching(/^127\.0\.0\.1$|^0000:.*:0001$/), port: 443 }]);
    expect(await failureOf(through("socks5"))).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect(proxy.asked).toHaveLength(1);
  });

  it.each([
    ["http://192.0.2.7/", "192.0.2.7"],
    ["http://[2001:db8::7]/", "2001:0db8:0000:0000:0000:0000:0000:0007"],
    ["http://[::ffff:192.0.2.7]/", "0000:0000:0000:0000:0000:ffff:c000:0207"],
  ])("may go to an address: %s", async (url, host) => {
    expect((await through("socks5").fetch(url)).status).toBe(200);
    expect(proxy.asked).toEqual([{ host, port: 80, user: undefined }]);
  });

  it("signs in with user name and password", async () => {
    proxy.require("me:p@ss wörd");
    expect((await through("socks5h", "me:p%40ss%20w%C3%B6rd@").fetch("http://cursor.test/")).status).toBe(200);
    expect(proxy.asked).toMatchObject([{ user: "me" }]);
  });

  it("accepts a percent sign in a password that does not begin an escape", async () => {
    proxy.require("me:100%zz");
    expect((await through("socks5h", "me:100%zz@").fetch("http://cursor.test/")).status).toBe(200);
  });

  it("may offer a password that the proxy does not want", async () => {
    expect((await through("socks5h", "me:secret@").fetch("http://cursor.test/")).status).toBe(200);
    expect(proxy.asked).toMatchObject([{ user: undefined }]);
  });

  it("uses one connection for many requests where the agent keeps it", async () => {
    const origin = new URL("http://cursor.test");
    const agent = through("socks5h").agentFor(origin, { keepAlive: true, maxSockets: 1 });
    for (let round = 0; round < 3; round++) {
      const [response] = await once(request(origin, { agent }).end(), "response");
      await once(response.resume(), "end");
    }
    expect(proxy.asked).toHaveLength(1);
    agent.destroy();
  });

  it("is not made to hosts that are excepted", async () => {
    expect(await failureOf(createNetwork({ proxy: `socks5h://127.0.0.1:${proxy.port}`, noProxy: [".test"] }))).toMatch(
      /ENOTFOUND|EAI_AGAIN/,
    );
    expect(proxy.asked).toEqual([]);
  });
});

describe("a SOCKS proxy that does not serve", () => {
  it("wants a user name and password", async () => {
    proxy.require("me:secret");
    expect(await failureOf(through("socks5h"))).toMatch(/the proxy 127\.0\.0\.1:\d+ wants a user name and password$/);
  });

  it("refuses the password, which the error does not contain", async () => {
    proxy.require("me:secret");
    const failure = await failureOf(through("socks5h", "me:guessed@"));
    expect(failure).toMatch(/the proxy 127\.0\.0\.1:\d+ refused the user name or password$/);
    expect(failure).not.toMatch(/guessed|me:/);
  });

  it.each([
    [2, "not allowed by its rules"],
    [4, "the host is unreachable or unknown"],
    [5, "the connection was refused"],
    [99, "it answered with the code 99"],
  ])("says why it does not connect: %i", async (code, reason) => {
    proxy.refuse(code);
    expect(await failureOf(through("socks5h"))).toMatch(new RegExp(`did not connect to Cursor: ${reason}$`));
  });

  it("is unreachable", async () => {
    const network = through("socks5h");
    await proxy.close();
    expect(await failureOf(network)).toMatch(/the proxy 127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED$/);
    proxy = await startSocksProxy();
  });

  it("speaks something else", async () => {
    const network = createNetwork({ proxy: host.replace("http:", "socks5h:") });
    expect(await failureOf(network)).toMatch(/the proxy 127\.0\.0\.1:\d+ does not speak SOCKS5$/);
  });

  it("speaks something else after the greeting", async () => {
    const strange = createTcpServer((socket) => {
      socket.once("data", () => {
        socket.write(Buffer.of(5, 0));
        socket.once("data", () => socket.write(Buffer.of(0x48, 0, 0x54, 0x50, 0, 0, 0, 0, 0, 0)));
      });
    });
    await once(strange.listen(0, "127.0.0.1"), "listening");
    const { port } = strange.address() as AddressInfo;
    const { signal } = new AbortController();
    const { openSocks } = await import("./socks.js");
    const opening = openSocks(new URL(`socks5h://127.0.0.1:${port}`), new URL("https://cursor.test"), signal);
    await expect(opening).rejects.toThrow("does not speak SOCKS5");
    strange.close();
  });

  it.each(["greeting", "request"] as const)("hangs, until the signal aborts: after the %s", async (step) => {
    const isWaiting = proxy.hangAt(step);
    const leaving = new AbortController();
    const dialling = through("socks5h").dial(new URL("https://cursor.test"), { signal: leaving.signal });
    const failure = dialling.catch(String);
    await isWaiting;
    leaving.abort();
    expect(await failure).toMatch(/no answer in time$/);
  });
});
