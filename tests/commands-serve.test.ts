import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { startTestGateway } from "../testing/gateway/whole-system.js";
import { listenLocally } from "../testing/network/local-server.js";
import { emptyMachine, runCurlew, serveCurlew, spawnGateway, startCurlew } from "../testing/programs/curlew-process.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const key = "a-gateway-key-for-tests";

function ask(url: string, prompt: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = { model: "auto", stream: true, messages: [{ role: "user", content: prompt }] };
  return postJson(`${url}/v1/chat/completions`, body, headers);
}

/** The text of a streamed answer, and the error that ended it, if any. */
async function readAnswer(response: Response): Promise<{ text: string; error: unknown }> {
  const frames = (await response.text()).matchAll(/^data: (\{.*\})$/gm);
  let text = "";
  let error: unknown;
  for (const [, json = ""] of frames) {
    const frame = JSON.parse(json);
    text += frame.choices?.[0]?.delta?.content ?? "";
    error ??= frame.error;
  }
  return { text, error };
}

/** Resolves when the answer has begun. */
async function firstBytes(response: Response): Promise<void> {
  await response.clone().body?.getReader().read();
}

describe("the banner", () => {
  it("says that answers are simulated, and its curl line works", async () => {
    const running = startCurlew(["serve", "--or-simulate", "--port", "0"]);
    const [banner] = await running.printed("stderr", /^curlew [\s\S]*Ctrl-C to stop\n/);
    expect(banner).toMatch(/^ {2}SIMULATED: the answers come from a built-in simulator, not from a model\.$/m);
    expect(banner).toMatch(/No Cursor credential was found\. For real answers: node \S*main\.js login\n/);
    expect(banner).not.toContain("\u001B");

    const [, line = ""] = /^ {2}(curl .*)$/m.exec(banner) ?? [];
    const { stdout } = await promisify(execFile)("bash", ["-c", line]);
    expect(JSON.parse(stdout)).toMatchObject({ object: "response", status: "completed" });
    expect(stdout).toMatch(/simulat/);
  });

  it("gives a curl line that works with a gateway key, without showing it", async () => {
    const folder = temporaryFolder();
    const keyFile = join(folder, "key");
    writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
    const running = startCurlew(["serve", "--backend", "simulator", "--port", "0", "--key-file", keyFile]);
    const [banner] = await running.printed("stderr", /^curlew [\s\S]*Ctrl-C to stop\n/);
    expect(banner).not.toContain(key);
    const [, line = ""] = /^ {2}(curl .*)$/m.exec(banner) ?? [];
    const { stdout } = await promisify(execFile)("bash", ["-c", line]);
    expect(JSON.parse(stdout)).toMatchObject({ object: "response", status: "completed" });
  });

  it("is replaced by one JSON line on stdout with --json", async () => {
    const running = startCurlew(["--json", "--port", "0", "--backend", "simulator"]);
    const [line] = await running.printed("stdout", /^.*\n/);
    expect(JSON.parse(line)).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/),
      backend: "simulator",
      pid: process.pid,
    });
    running.signal("SIGTERM");
    const { code, stdout, stderr } = await running.finished;
    expect({ code, stdout }).toEqual({ code: 0, stdout: line });
    expect(JSON.parse(stderr)).toMatchObject({ level: "info", msg: "stopped" });
  });

  it("is replaced by a log line when the log is set to JSON", async () => {
    const running = startCurlew(["--port", "0", "--backend", "simulator", "--log-format", "json"]);
    const [line] = await running.printed("stderr", /^.*\n/);
    expect(JSON.parse(line)).toMatchObject({ url: expect.stringMatching(/^http:/), msg: "listening" });
  });
});

describe("--log-file", () => {
  const linesOf = (path: string) =>
    readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  it("gets the whole log, and leaves stderr empty", async () => {
    const path = join(temporaryFolder(), "logs", "curlew.log");
    const running = await serveCurlew(["--log-file", path]);
    await readAnswer(await ask(running.url, "[[say hello]]"));
    running.signal("SIGTERM");
    expect(await running.finished).toMatchObject({ code: 0, stderr: "" });
    expect(linesOf(path)).toMatchObject([
      { msg: "listening", backend: "simulator", url: running.url },
      { msg: "request", status: 200 },
      { msg: "stopped" },
    ]);
  });

  it("contains the reason of a failed start", async () => {
    const path = join(temporaryFolder(), "curlew.log");
    const args = ["serve", "--backend", "simulator", "--host", "192.0.2.1", "--log-file", path];
    const { code } = await runCurlew(args, { env: { CURLEW_KEY: key } });
    expect(code).toBe(1);
    expect(linesOf(path)).toMatchObject([
      { level: "error", msg: "not started", reason: expect.stringContaining("This machine has no address 192.0.2.1") },
    ]);
  });

  it("is refused if it cannot be written", async () => {
    const folder = temporaryFolder();
    const { code, stderr } = await runCurlew(["serve", "--backend", "simulator", "--log-file", folder]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `curlew: The log file ${folder} cannot be written (EISDIR). Choose another with --log-file.\n`,
    });
  });
});

describe("the backend that answers", () => {
  it("is the simulator in health and headers when it is the fallback", async () => {
    const { url } = await serveCurlew(["--or-simulate"], { env: { CURLEW_BACKEND: "auto" } });
    const health = await fetch(`${url}/health`).then((response) => response.json());
    expect(health).toMatchObject({ status: "ok", backend: "simulator", simulator: true, mcp: { servers: 0 } });
    const response = await ask(url, "Good morning");
    expect(response.headers.get("x-curlew-backend")).toBe("simulator");
    expect((await readAnswer(response)).text).toMatch(/simulat/i);
  });

  it("is Cursor once there is a credential, even a refused one", async () => {
    const simulator = startCurlew(["simulate"]);
    const [, backendUrl = ""] = await simulator.printed("stdout", /^(.*)\n/);
    const env = { CURLEW_BACKEND: "auto", CURSOR_BACKEND_URL: backendUrl, CURSOR_API_KEY: "crsr_bad_key" };
    const { url } = await serveCurlew(["--or-simulate"], { env });
    const response = await ask(url, "Good morning");
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      error: { code: "not_authenticated", message: expect.stringContaining("CURSOR_API_KEY") },
    });
  });
});

describe("closed by default", () => {
  it("never falls back to the simulator on a public address", async () => {
    const env = { CURLEW_KEY: key };
    const { code, stderr } = await runCurlew(["serve", "--or-simulate", "--host", "0.0.0.0", "--port", "0"], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("is never the fallback on a public address (0.0.0.0)");
  });

  it("requires the key on a public address", async () => {
    const { url } = await serveCurlew(["--host", "0.0.0.0"], { env: { CURLEW_KEY: key } });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect((await ask(url, "hello")).status).toBe(401);
    const answer = await ask(url, "[[say welcome]]", { authorization: `Bearer ${key}` });
    expect((await readAnswer(answer)).text).toBe("welcome");
  });
});

describe("a port in use", () => {
  it("is named, with a remedy", async () => {
    const { port, close } = await listenLocally(createServer((socket) => socket.destroy())); // not a gateway
    onTestFinished(close);
    const { code, stderr } = await runCurlew(["serve", "--backend", "simulator", "--port", String(port)]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `curlew: Port ${port} on 127.0.0.1 is in use. Choose another with --port, or --port 0 for any free one.\n`,
    );
  });

  it("is reported as a running gateway if it is one", async () => {
    const { HOME = "" } = emptyMachine();
    const env = { HOME, CURLEW_BACKEND: "simulator" };
    const running = await serveCurlew([], { env });
    const port = new URL(running.url).port;
    const { code, stderr } = await runCurlew(["serve", "--port", port], { env });
    expect(code).toBe(1);
    const who = `Curlew already runs at ${running.url} (process ${process.pid}, since `;
    expect(stderr).toContain(who);
    expect(stderr).toContain("Clients can use it. To start another one, choose a port with --port");
    const elsewhere = await runCurlew(["serve", "--port", port], { env: { CURLEW_BACKEND: "simulator" } });
    expect(elsewhere.stderr).toMatch(/Curlew already runs at \S+ \(version \d/);
  });
});

describe("a variable meant for another program", () => {
  it.each([
    [{ HOST: "0.0.0.0" }, [], "\nSet by HOST=0.0.0.0 (environment); --host overrides it.\n"],
    [{ PORT: "80a" }, [], "curlew: PORT=80a (environment) must be a whole number from 0 to 65535.\n"],
    [{ HOST: "my mac" }, [], 'curlew: HOST="my mac" (environment) must be an IP address or a host name'],
    [{ CURLEW_ALLOWED_HOSTS: "a.test" }, [], "\nSet by CURLEW_ALLOWED_HOSTS=a.test (environment); --allowed-hosts"],
    [{ CURLEW_CONDUCT: "careful" }, ["--backend", "agent"], "\nSet by CURLEW_CONDUCT=careful (environment); --conduct"],
  ])("is named when it makes the start fail: %j", async (env, args, message) => {
    const { code, stderr } = await runCurlew(["serve", "--backend", "simulator", ...args], { env });
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });

  it("is named when its port is taken", async () => {
    const { url } = await serveCurlew();
    const { port } = new URL(url);
    const { stderr } = await runCurlew(["serve", "--backend", "simulator"], { env: { PORT: port } });
    expect(stderr).toContain(`\nSet by PORT=${port} (environment); --port overrides it.\n`);
  });
});

describe.each(["SIGTERM", "SIGINT"] as const)("on %s", (signal) => {
  it("stops at once when idle", async () => {
    const running = await spawnGateway();
    await fetch(`${running.url}/health`); // leaves an idle connection behind
    running.signal(signal);
    expect((await running.finished).code).toBe(0);
  });

  it("finishes a running answer, and accepts no new requests", async () => {
    const running = await spawnGateway();
    const response = await ask(running.url, "[[say first]] [[wait 700]] [[say last]]");
    await firstBytes(response);
    running.signal(signal);
    await expect.poll(() => ask(running.url, "hello").catch((thrown: Error) => thrown.name)).toBe("TypeError");
    expect(await readAnswer(response)).toEqual({ text: "firstlast", error: undefined });
    const { code, stderr } = await running.finished;
    expect(code).toBe(0);
    const events = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events).toContainEqual(expect.objectContaining({ answers: expect.any(Number), msg: "finishing answers" }));
    expect(events.at(-1)).toMatchObject({ msg: "stopped" });
  });
});

describe("when the grace time is over", () => {
  const prompt = "[[say first]] [[wait 60000]] [[say last]]";
  const shuttingDown = { text: "first", error: expect.objectContaining({ code: "shutting_down" }) };

  it("ends a running answer with a clean error", async () => {
    const gateway = await startTestGateway({
      home: temporaryFolder(),
      backend: "simulator",
      logLevel: "silent",
      settings: { graceMs: 200 },
    });
    const response = await ask(gateway.url, prompt);
    await firstBytes(response);
    const [answer] = await Promise.all([readAnswer(response), gateway.close()]);
    expect(answer).toEqual(shuttingDown);
  });

  it("ends it at once on a second signal", async () => {
    const running = await spawnGateway();
    const response = await ask(running.url, prompt);
    await firstBytes(response);
    running.signal("SIGTERM");
    // Like a user who keeps pressing Ctrl-C.
    const impatience = setInterval(() => running.signal("SIGINT"), 100);
    onTestFinished(() => clearInterval(impatience));
    expect(await readAnswer(response)).toEqual(shuttingDown);
    clearInterval(impatience); // an exiting process no longer handles signals
    expect((await running.finished).code).toBe(0);
  });

  it("treats simultaneous signals as one", async () => {
    const running = await spawnGateway();
    const response = await ask(running.url, "[[say first]] [[wait 500]] [[say last]]");
    await firstBytes(response);
    running.signal("SIGINT");
    running.signal("SIGTERM");
    expect(await readAnswer(response)).toEqual({ text: "firstlast", error: undefined });
  });
});

describe("the log", () => {
  it("is JSON lines on stderr and holds neither key nor prompt", async () => {
    const running = await serveCurlew(["--log-level", "trace"], { env: { CURLEW_KEY: key } });
    await ask(running.url, "[[say nothing to see]]", { "x-api-key": key }).then(readAnswer);
    running.signal("SIGTERM");
    const { stderr } = await running.finished;
    const lines = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ level: "info", status: 200 }));
    expect(stderr).not.toContain(key);
    expect(stderr).not.toContain("nothing to see");
    expect(stderr).not.toContain("crsr_simulated");
  });
});
