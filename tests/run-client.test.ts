import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { clients } from "../packages/cli/setup/clients.js";
import { makeKey, readKeys, writeKeys } from "../packages/meter/keys/index.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { runCurlew, serveCurlew, spawnCurlew } from "../testing/programs/curlew-process.js";
import { startedOnce } from "../testing/started.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const simulated = { CURLEW_BACKEND: "simulator" };

/** A machine with a fake program for every client, which reports how it was started. */
function machineWithClients() {
  const home = temporaryFolder();
  const [bin, temporary] = ["bin", "tmp"].map((name) => join(home, name));
  for (const folder of [bin, temporary]) mkdirSync(folder ?? "");
  const program = `#!${process.execPath}
const { readFileSync, readdirSync } = require("node:fs");
const args = process.argv.slice(2);
const files = [...args, ...Object.values(process.env)].filter((each) => each.includes("curlew-run-") && each.startsWith("/"));
const read = files.filter((each) => /[.](json|yaml|js)$/.test(each)).map((each) => readFileSync(each, "utf8"));
console.log(JSON.stringify({ args, env: process.env, read }));
`;
  for (const { command } of clients) if (command) writeFileSync(join(bin ?? "", command), program, { mode: 0o755 });
  const env = { ...simulated, HOME: home, TMPDIR: temporary ?? "", PATH: `${bin}:${process.env.PATH}` };
  return { home, env, temporary: temporary ?? "" };
}

/** A process of its own, whose streams the client inherits. */
const run = (...[args, options]: Parameters<typeof spawnCurlew>) => spawnCurlew(args, options).finished;

describe("curlew run", () => {
  const system = startedOnce(() => startWholeSystem());

  const launched = clients.filter(({ launch, command }) => launch !== undefined && command !== undefined);

  it.each(launched)("starts $name on the gateway and writes nothing", async ({ name }) => {
    const { url } = system;
    const { home, env, temporary } = machineWithClients();
    const { code, stdout } = await run(["run", "--url", url, name, "--help", "--model", "mine", "a b"], { env });
    expect(code).toBe(0);
    const started: { args: string[]; env: Record<string, string>; read: string[] } = JSON.parse(stdout);
    expect(started.args.slice(-4)).toEqual(["--help", "--model", "mine", "a b"]);
    expect(JSON.stringify(started)).toContain(url);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(home).toSorted()).toEqual(["bin", "tmp"]);
  });

  it("starts its own gateway if none answers, also for SDKs", async () => {
    const script = `
      import OpenAI from ${JSON.stringify(fileURLToPath(import.meta.resolve("openai")))};
      import Anthropic from ${JSON.stringify(fileURLToPath(import.meta.resolve("@anthropic-ai/sdk")))};
      const content = "[[say hello there]]";
      const model = process.env.OPENAI_MODEL;
      const chat = await new OpenAI().chat.completions.create({ model, messages: [{ role: "user", content }] });
      const message = await new Anthropic().messages.create({ model, max_tokens: 99, messages: [{ role: "user", content }] });
      console.log(chat.choices[0].message.content, "/", message.content[0].text);
    `;
    const port = { PORT: "1" }; // nothing answers there
    const { code, stdout } = await run(["run", "env", process.execPath, "--input-type=module", "--eval", script], {
      env: { ...simulated, ...port },
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "hello there / hello there\n" });
  });

  it("gives the client a key for its own gateway if clients need one", async () => {
    const home = temporaryFolder();
    writeKeys(join(home, "keys.json"), [makeKey("laptop", {}, 0).stored]);
    const script = `
      const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env;
      const ask = (authorization) => fetch(url + "/models", { headers: { authorization } });
      console.log((await ask("Bearer " + key)).status, (await ask("Bearer none")).status);
    `;
    const args = ["run", "env", process.execPath, "--input-type=module", "--eval", script];
    const { stdout } = await run(args, { env: { ...simulated, CURLEW_HOME: home, PORT: "1" } });
    expect(stdout).toBe("200 401\n");
  });

  it("creates a temporary key if the running gateway requires one, and revokes it", async () => {
    const home = temporaryFolder();
    const file = join(home, "keys.json");
    writeKeys(file, [makeKey("laptop", {}, 0).stored]);
    const { url } = await serveCurlew([], { env: { CURLEW_HOME: home } });
    const script = `
      const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env;
      console.log((await fetch(url + "/models", { headers: { authorization: "Bearer " + key } })).status);
      console.log(JSON.parse(require("node:fs").readFileSync(${JSON.stringify(file)})).keys.map(({ name }) => name).join());
      process.exitCode = 3;
    `;
    const args = ["run", "--url", url, "env", process.execPath, "--eval", `(async () => {${script}})()`];
    const { code, stdout } = await run(args, { env: { CURLEW_HOME: home } });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "200\nlaptop,env\n" });
    expect(readKeys(file)?.map(({ name }) => name)).toEqual(["laptop"]);
    const refused = await runCurlew(["run", "--url", url, "env", "true"]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("requires a key") });
  });

  it("passes the gateway's key on", async () => {
    const { env } = machineWithClients();
    const key = "a-key-of-the-gateway";
    const { stdout } = await run(["run", "codex"], { env: { ...env, CURLEW_KEY: key, PORT: "1" } });
    const started: { args: string[]; env: Record<string, string> } = JSON.parse(stdout);
    expect(started.env.CURLEW_KEY).toBe(key);
    expect(started.args.join(" ")).not.toContain(key);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("passes %s on", async (signal) => {
    const { url } = system;
    const script = `process.on(${JSON.stringify(signal)}, () => process.exit(9)); setInterval(() => {}, 1e6); console.log("up")`;
    const running = spawnCurlew(["run", "--url", url, "env", process.execPath, "--eval", script]);
    await running.printed("stdout", /up/);
    running.signal(signal);
    expect((await running.finished).code).toBe(9);
  });

  it("reports a killed client as a shell does", async () => {
    const { url } = system;
    const script = "process.kill(process.pid, 'SIGKILL')";
    const { code } = await run(["run", "--url", url, "env", process.execPath, "--eval", script]);
    expect(code).toBe(137);
  });

  it.each([
    [["run"], 2, "Name a client"],
    [["run", "zed"], 2, "curlew setup zed"],
    [["run", "env"], 2, "Name a program"],
    [["run", "env", "no-such-program"], 1, "not installed"],
    [["run", "--url", "http://127.0.0.1:1", "env", "true"], 1, "No gateway answers at http://127.0.0.1:1"],
  ])("refuses %j", async (args, code, message) => {
    expect(await runCurlew(args)).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});
