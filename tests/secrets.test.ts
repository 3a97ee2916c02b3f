import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { defaultOptions } from "../packages/simulator/index.js";
import { emptyMachine, runCurlew, spawnCurlew, spawnGateway } from "../testing/programs/curlew-process.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";
import { startedOnce } from "../testing/started.js";

/** Each is unique and unmistakable. */
const planted = {
  key: "crsr_PLANTED1key0123456789abcdef",
  callerKey: "crsr_PLANTED2caller0123456789abc",
  badKey: "crsr_badPLANTED3key0123456789abc",
  oldKey: "key_PLANTED4old0123456789abcdef",
  token: "eyJhbGciOiJIUzI1NiJ9.eyJ0eXBlIjoic2Vzc2lvbiJ9.PLANTED5token",
  gatewayKey: "PLANTED6-gateway-key-0123456789",
  nonsense: "PLANTED7-nonsense",
};
const crashes = new URL("../testing/programs/crash-on-signal.js", import.meta.url).href;

const simulator = startedOnce(() => startSimulator());
let home: string;
let env: Record<string, string>;
/** All output that others could see. */
let seen: Map<string, string>;
let session: string;

beforeEach(async () => {
  simulator.configure(defaultOptions);
  simulator.reset();
  seen = new Map();
  ({ HOME: home = "" } = emptyMachine());
  env = {
    HOME: home,
    CURLEW_HOME: join(home, "curlew"),
    CURSOR_BACKEND_URL: simulator.url,
    CURSOR_WEBSITE_URL: simulator.url,
    CURLEW_CREDENTIAL_STORE: "file",
    CURLEW_LOG_LEVEL: "trace",
    CURLEW_BACKEND: "auto",
  };
  const poll = () => fetch(`${simulator.url}/auth/poll?uuid=${home}&verifier=${"v".repeat(43)}`);
  await poll();
  session = ((await (await poll()).json()) as { accessToken: string }).accessToken;
});

function see(where: string, text: string): void {
  seen.set(`${where} (${seen.size})`, text);
}

/** Records what other users can see of a process. */
function seeProcess(pid: number | undefined): void {
  see("ps", execFileSync("ps", ["-ww", "-o", "args=", "-p", String(pid)], { encoding: "utf8" }));
}

function seeOpenFiles(): void {
  for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
    const path = join(home, name);
    const { mode } = statSync(path);
    if (statSync(path).isFile() && (mode & 0o077) !== 0) see(path, readFileSync(path, "latin1"));
  }
}

async function seeSimulator(): Promise<void> {
  for (const path of ["/__sim/requests?last=500", "/__sim/stats", "/__sim/config"]) {
    see(path, await (await fetch(simulator.url + path)).text());
  }
}

function expectNoSecret(): void {
  expect([...seen.values()].join("").length).toBeGreaterThan(500);
  // The signature is the secret part of the token.
  const secrets = [...Object.values(planted), "PLANTED", session.split(".")[2] ?? ""];
  for (const [where, text] of seen) {
    for (const secret of secrets) expect(text.includes(secret), `${where} shows ${secret}`).toBe(false);
  }
}

/** Sends good and bad requests of every kind. Records all answers. */
async function drive(url: string, headers: Record<string, string>): Promise<number[]> {
  const chat = (content: string, stream: boolean) =>
    JSON.stringify({ model: "auto", stream, messages: [{ role: "user", content }] });
  const requests: [path: string, init?: RequestInit][] = [
    ["/health"],
    ["/v1/models"],
    ["/v1/models/none"],
    [`/v1/models?key=${planted.key}`],
    [`/${planted.oldKey}/${planted.callerKey}`],
    ["/v1/chat/completions", { method: "POST", body: chat("[[say fine]]", false) }],
    ["/v1/chat/completions", { method: "POST", body: chat("[[think a]] [[say fine]]", true) }],
    ["/v1/chat/completions", { method: "POST", body: chat("[[fail unauthenticated ERROR_NOT_LOGGED_IN]]", false) }],
    ["/v1/chat/completions", { method: "POST", body: chat("[[fail resource_exhausted]]", true) }],
    ["/v1/chat/completions", { method: "POST", body: chat("[[say half]] [[drop]]", true) }],
    ["/v1/chat/completions", { method: "POST", body: `{"api_key": "${planted.key}",` }],
    ["/v1/chat/completions", { method: "POST", body: JSON.stringify({ api_key: planted.key, model: planted.token }) }],
  ];
  const statuses: number[] = [];
  for (const [path, init] of requests) {
    const cookie = `WorkosCursorSessionToken=user_01%3A%3A${planted.token}`;
    const all = { "content-type": "application/json", cookie, ...headers };
    const response = await fetch(url + path, { ...init, headers: all });
    statuses.push(response.status);
    see(`answer to ${path}`, `${JSON.stringify([...response.headers])}\n${await response.text()}`);
  }
  return statuses;
}

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });

describe("no secret is exposed", () => {
  it("by a gateway with its own key and a client key, or by its crash", async () => {
    const keys = { CURSOR_API_KEY: planted.key, CURLEW_KEY: planted.gatewayKey };
    const gateway = await spawnGateway([], { env: { ...env, ...keys, NODE_OPTIONS: `--import ${crashes}` } });
    expect(await drive(gateway.url, bearer(planted.gatewayKey))).toContain(200);
    expect(await drive(gateway.url, { "x-api-key": planted.gatewayKey })).toContain(200);
    const refused = await drive(gateway.url, { ...bearer(planted.nonsense), "x-curlew-key": planted.token });
    expect(new Set(refused)).toEqual(new Set([200, 401]));
    seeProcess(gateway.process.pid);
    gateway.process.kill("SIGUSR2");
    const { code, stdout, stderr } = await gateway.finished;
    expect(code).not.toBe(0);
    expect(stderr).toContain("a bug");
    expect(stderr).toContain('"level":"info"');
    see("stdout", stdout);
    see("log", stderr);
    await seeSimulator();
    seeOpenFiles();
    expectNoSecret();
  });

  it("by a gateway in pass-through mode", async () => {
    const keyFile = join(home, "gateway-key");
    writeFileSync(keyFile, planted.gatewayKey, { mode: 0o600 });
    const gateway = await spawnGateway(["--pass-through", "true", "--key-file", keyFile], { env });
    const key = { "x-curlew-key": planted.gatewayKey };
    for (const good of [planted.callerKey, session, `user_01::${session}`, `user_01%3A%3A${session}`]) {
      expect(await drive(gateway.url, { ...key, ...bearer(good) })).toContain(404);
    }
    for (const bad of [planted.badKey, planted.oldKey, planted.token, planted.nonsense]) {
      expect(await drive(gateway.url, { ...key, "x-api-key": bad })).toContain(401);
    }
    seeProcess(gateway.process.pid);
    gateway.process.kill("SIGTERM");
    const { stdout, stderr } = await gateway.finished;
    see("stdout", stdout);
    see("log", stderr);
    await seeSimulator();
    seeOpenFiles();
    expectNoSecret();
  });

  it.each([
    ["a refused key", { CURSOR_API_KEY: planted.badKey }],
    ["a token instead of a key", { CURSOR_API_KEY: planted.token }],
    ["a key instead of a token", { CURSOR_AUTH_TOKEN: planted.key }],
    ["a malformed token", { CURSOR_ACCESS_TOKEN: planted.nonsense }],
    ["a key without a reachable server", { CURSOR_API_KEY: planted.key, CURSOR_BACKEND_URL: "http://127.0.0.1:9" }],
    ["a gateway key with a blank", { CURSOR_API_KEY: planted.key, CURLEW_KEY: `${planted.gatewayKey} x` }],
  ])("by the commands, with %s", async (_, credential) => {
    for (const args of [["status"], ["status", "--json"], ["models"], ["ask", "hello"]]) {
      const { code, stdout, stderr } = await runCurlew(args, { env: { ...env, ...credential } });
      expect(code).not.toBe(0);
      see(args.join(" "), stdout + stderr);
    }
    await seeSimulator();
    seeOpenFiles();
    expectNoSecret();
  });

  it("by any kind of login, or by the files that it stores", async () => {
    const run = async (args: readonly string[], stdin = "") => {
      const running = spawnCurlew(args, { env, stdin });
      seeProcess(running.process.pid);
      const { code, stdout, stderr } = await running.finished;
      see(args.join(" "), stdout + stderr);
      return code;
    };
    expect(await run(["login", "--api-key"], planted.key)).toBe(0);
    expect(await run(["login", "--api-key"], planted.badKey)).toBe(1);
    expect(await run(["status"])).toBe(0);
    seeOpenFiles();
    expect(await run(["logout"])).toBe(0);
    mkdirSync(join(home, ".cursor"));
    writeFileSync(join(home, ".cursor", "auth.json"), JSON.stringify({ apiKey: planted.callerKey }), { mode: 0o600 });
    expect(await run(["login", "--import", "--yes"])).toBe(0);
    seeOpenFiles();
    simulator.configure({ mint: "refuse" });
    expect(await run(["login", "--no-browser"])).toBe(0);
    const kept: { secret: { accessToken: string } } = JSON.parse(
      readFileSync(join(home, "curlew", "credentials.json"), "utf8"),
    );
    session = kept.secret.accessToken;
    seeOpenFiles();
    await seeSimulator();
    expectNoSecret();
  });
});
