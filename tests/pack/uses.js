// Typical uses of an installed package, on the simulator: the command, a gateway, an embedded gateway.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

/** Passes each use to `attempt(what, check)`. */
export async function checkPackage({ folder, node, path, major }, attempt) {
  const home = join(folder, "home");
  mkdirSync(home);
  const own = join(folder, "node_modules", "curlew");
  const options = { cwd: folder, env: { PATH: path, HOME: home, CURLEW_BACKEND: "simulator" } };
  const command = join(folder, "node_modules", ".bin", "curlew");

  await attempt("the command prints its version", async () => {
    const { stdout } = await run(command, ["--version"], options);
    assert.equal(stdout.trim(), JSON.parse(readFileSync(join(own, "package.json"), "utf8")).version);
  });
  await attempt("a gateway answers", async () => {
    const gateway = spawn(command, ["serve", "--port", "0", "--json"], {
      ...options,
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const [line] = await once(createInterface(gateway.stdout), "line", { signal: AbortSignal.timeout(30_000) });
      const { url } = JSON.parse(line);
      const health = await fetch(`${url}/health`).then((response) => response.json());
      assert.equal(health.backend, "simulator");
      assert.equal(await say(url, "a curlew"), "a curlew");
    } finally {
      gateway.kill("SIGTERM");
      await once(gateway, "close");
    }
  });
  await attempt("a program embeds it", async () => {
    const code = `
      import { startGateway } from "curlew";
      const gateway = await startGateway({ backend: "simulator", logLevel: "warn" });
      const models = await fetch(gateway.url + "/v1/models").then((response) => response.json());
      await gateway.close();
      console.log(models.object);`;
    writeFileSync(join(folder, "embed.js"), code);
    const { stdout } = await run(node, ["embed.js"], options);
    assert.equal(stdout, "list\n");
  });
  await attempt("a program starts the simulator", async () => {
    const code = `
      import { startSimulator } from "curlew/simulator";
      const simulator = await startSimulator({ exchange: "refuse" });
      const { status } = await fetch(simulator.url + "/auth/exchange_user_api_key", { method: "POST" });
      console.log(status, simulator.stats().exchanges, simulator.requests(1)[0].path);
      await simulator.close();`;
    writeFileSync(join(folder, "simulator.js"), code);
    const { stdout } = await run(node, ["simulator.js"], options);
    assert.equal(stdout, "401 1 /auth/exchange_user_api_key\n");
  });
  await attempt("its types need no other package", async () => {
    const code = `
      import { type EventMessage, type RequestRecord, startGateway } from "curlew";
      import plugin from "curlew/opencode";
      import samePlugin from "curlew/server";
      import { type JournalEntry, type Simulator, startSimulator } from "curlew/simulator";
      export const simulator: Promise<Simulator> = startSimulator({ strict: true, turnEnd: "open" });
      export const requests = (running: Simulator): JournalEntry[] => running.requests(10);
      export const gateway: Promise<{ url: string }> = startGateway({ backend: "simulator" });
      export const outputOf = (record: RequestRecord): number | undefined => record.turnUsage?.outputTokens;
      export const codeOf = (event: EventMessage<"curlew:upstream:failed">): "timeout" | undefined =>
        event.code === "timeout" ? event.code : undefined;
      export const hooks: Promise<{ auth: { provider: string } }>[] = [plugin.server(), samePlugin.server()];`;
    writeFileSync(join(folder, "types.ts"), code);
    const args = [compiler, "--noEmit", "--strict", "--module", "nodenext", "--types", "", "types.ts"];
    await run(process.execPath, args, { cwd: folder }).catch(({ stdout }) => assert.fail(stdout));
  });
  await attempt("the Node is the right one, and conversations are kept on disk", async () => {
    const { stdout } = await run(command, ["doctor", "--json"], options).catch((failure) => failure);
    const { findings } = JSON.parse(stdout);
    const about = (name) => findings.find(({ check }) => check === name);
    assert.match(about("node").why, new RegExp(`^v${major}\\.`));
    assert.equal(about("store").status, "ok", about("store").why);
  });
  await attempt("the licences of what is bundled are in it", () => {
    const licences = readFileSync(join(own, "dist", "THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const words of ["Buf Technologies", "Google Inc", "The Connect Authors", "TERMS AND CONDITIONS FOR USE"]) {
      assert.ok(licences.includes(words), `nothing about ${words}`);
    }
  });
}

async function say(url, text) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: `[[say ${text}]]` }] }),
  });
  const { choices } = await response.json();
  return choices[0].message.content;
}
