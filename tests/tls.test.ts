import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Simulator } from "../packages/simulator/index.js";
import { type ConnectProxy, startConnectProxy } from "../testing/network/connect-proxy.js";
import { listenLocally } from "../testing/network/local-server.js";
import { startSocksProxy } from "../testing/network/socks-proxy.js";
import { spawnCurlew } from "../testing/programs/curlew-process.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

const folder = mkdtempSync(join(tmpdir(), "curlew-tls-"));
const certificate = join(folder, "certificate.pem");
const key = join(folder, "key.pem");
/** The program that makes the certificate. */
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
beforeAll(() => {
  if (!hasOpenssl) return;
  const names = "subjectAltName=DNS:cursor.test,DNS:localhost";
  const made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const where = ["-keyout", key, "-out", certificate, "-subj", "/CN=cursor.test", "-addext", names];
  execFileSync("openssl", ["req", ...made, ...where], { stdio: "ignore" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a simulator behind TLS. */
async function startSecurely(alpn: string[] = ["h2", "http/1.1"]): Promise<{ simulator: Simulator; port: number }> {
  const simulator = await startSimulator();
  const options = { cert: readFileSync(certificate), key: readFileSync(key), ALPNProtocols: alpn };
  const server = createServer(options, (near) => {
    const far = connect(Number(new URL(simulator.url).port), "127.0.0.1");
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far).pipe(near);
    near.once("close", () => far.destroy());
  });
  server.on("tlsClientError", () => {});
  const { port, close } = await listenLocally(server);
  onTestFinished(async () => {
    await close();
    await simulator.close();
  });
  return { simulator, port };
}

async function startProxy(port: number): Promise<ConnectProxy> {
  const proxy = await startConnectProxy();
  onTestFinished(() => proxy.close());
  proxy.leadTo(`http://127.0.0.1:${port}`);
  return proxy;
}

/** The built command in its own process: Node reads certificates only at the start. */
const ask = (env: Record<string, string>) =>
  spawnCurlew(["ask", "[[say hello there]]"], {
    env: { CURSOR_API_KEY: "crsr_tls", NODE_EXTRA_CA_CERTS: certificate, ...env },
  }).finished;
const runsOf = (simulator: Simulator) =>
  simulator.requests(50).flatMap(({ path }) => (/\/Run(SSE)?$/.test(path) ? [path.split("/").at(-1)] : []));

describe.skipIf(!hasOpenssl).each([
  ["h2", "Run"],
  ["h1", "RunSSE"],
] as const)("over %s", (transport, call) => {
  it("a certificate in NODE_EXTRA_CA_CERTS is trusted; an untrusted one is the reported reason", async () => {
    const { simulator, port } = await startSecurely();
    const env = { CURSOR_BACKEND_URL: `https://localhost:${port}`, CURLEW_TRANSPORT: transport };
    expect(await ask(env)).toMatchObject({ code: 0, stdout: expect.stringContaining("hello there") });
    expect(runsOf(simulator)).toEqual([call]);
    const distrusted = await ask({ ...env, NODE_EXTRA_CA_CERTS: "" });
    expect(distrusted).toMatchObject({ code: 1, stderr: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
  });

  it("a proxy carries all requests to Cursor and no others", async () => {
    const { simulator, port } = await startSecurely();
    const proxy = await startProxy(port);
    const env = {
      CURSOR_BACKEND_URL: "https://cursor.test",
      CURLEW_TRANSPORT: transport,
      HTTPS_PROXY: proxy.url.replace("://", "://me:secret@"),
      NO_PROXY: "example.com",
    };
    const { code, stdout, stderr } = await ask(env);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringContaining("hello there") });
    expect(runsOf(simulator)).toEqual([call]);
    expect(new Set(proxy.asked.map(({ authority }) => authority))).toEqual(new Set(["cursor.test:443"]));
    expect(proxy.asked.every(({ authorization }) => authorization?.startsWith("Basic "))).toBe(true);
    proxy.refuse(407);
    const refused = await ask(env);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("it refuses the user name and password in HTTPS_PROXY"),
    });
    expect(refused.stderr).not.toContain("secret");
  });
});

describe.skipIf(!hasOpenssl).each([
  ["h2", "Run"],
  ["h1", "RunSSE"],
] as const)("over %s through a SOCKS proxy", (transport, call) => {
  it("all requests to Cursor are sent; the proxy resolves the name", async () => {
    const { simulator, port } = await startSecurely();
    const proxy = await startSocksProxy();
    onTestFinished(() => proxy.close());
    proxy.leadTo(`http://127.0.0.1:${port}`);
    proxy.require("me:secret");
    const env = {
      CURSOR_BACKEND_URL: "https://cursor.test",
      CURLEW_TRANSPORT: transport,
      ALL_PROXY: `socks5h://me:secret@127.0.0.1:${proxy.port}`,
    };
    const { code, stdout, stderr } = await ask(env);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringContaining("hello there") });
    expect(runsOf(simulator)).toEqual([call]);
    expect(proxy.asked.length).toBeGreaterThan(0);
    expect(proxy.asked.every(({ host, user }) => host === "cursor.test" && user === "me")).toBe(true);
    proxy.require("me:another");
    const refused = await ask(env);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("refused the user name or password") });
    expect(refused.stderr).not.toContain("secret");
  });
});

it.skipIf(!hasOpenssl)("a server without HTTP/2 in ALPN is used over HTTP/1.1", async () => {
  const { simulator, port } = await startSecurely(["http/1.1"]);
  const { code, stderr } = await ask({ CURSOR_BACKEND_URL: `https://localhost:${port}` });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("HTTP/2 is blocked here") });
  expect(runsOf(simulator)).toEqual(["RunSSE"]);
});
