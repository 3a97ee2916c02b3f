import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { startServer } from "../src/app/start/start-server.js";
import { loadSettings } from "../src/config/load.js";
import { chat } from "../testing/clients/tool-client.js";
import { runCurlew, serveCurlew, spawnCurlew } from "../testing/programs/curlew-process.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

let HOME = "";
/** Where earlier versions kept everything. */
let former = "";
let state = "";
let cache = "";
let account: Record<string, string> = {};

beforeEach(async () => {
  const simulator = await startSimulator();
  onTestFinished(() => simulator.close());
  account = { CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_moved_files", CURLEW_BACKEND: "agent" };
  HOME = temporary(tmpdir());
  former = join(HOME, ".config", "curlew");
  state = join(HOME, ".local", "state", "curlew");
  cache = join(HOME, ".cache", "curlew");
});

function temporary(parent: string): string {
  const folder = mkdtempSync(join(parent, "curlew-moved-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const serve = (env: Record<string, string> = {}, args: readonly string[] = []) =>
  serveCurlew(args, { env: { ...account, HOME, ...env } });

/** As an earlier version did: all in one folder. */
const formerGateway = () => serve({ CURLEW_HOME: former });

async function stop({ process, finished }: Awaited<ReturnType<typeof serveCurlew>>) {
  process.kill("SIGTERM");
  const ended = await finished;
  expect(ended.code).toBe(0);
  return ended;
}

/** An earlier version has run, and was asked this. */
async function leaveFiles(): Promise<void> {
  const gateway = await formerGateway();
  expect((await say(gateway.url, "first")).text).toBe("first");
  await fetch(`${gateway.url}/v1/models`);
  await stop(gateway);
  writeFileSync(join(former, "curlew.json"), '{ "maxMode": false }');
}

const say = (url: string, text: string) => chat(url, [{ role: "user", content: `[[say ${text}]]` }]);
const logged = async (env: Record<string, string>) => {
  const { stdout } = await runCurlew(["logs", "--json"], { env: { HOME, ...env } });
  return stdout.trim().split("\n").filter(Boolean).length;
};

it("moves state and cache once to where the system expects them, and nothing is lost", async () => {
  await leaveFiles();
  expect(await logged({})).toBe(1); // found where it is, which moves nothing
  expect(existsSync(state)).toBe(false);

  const gateway = await serve();
  expect((await say(gateway.url, "second")).text).toBe("second");
  const { stderr } = await stop(gateway);
  expect(stderr).toContain("files have moved to their new places");
  expect(readdirSync(former)).toEqual(["curlew.json"]);
  expect(readdirSync(state)).toEqual(["ledger", "run", "state"]);
  expect(readdirSync(cache)).toEqual(["models.json"]);
  expect(await logged({})).toBe(2);

  const again = await stop(await serve());
  expect(again.stderr).not.toContain("moved");
});

it("leaves the files of a gateway that runs alone, uses them with it, and moves them when it is gone", async () => {
  const old = await formerGateway();
  expect((await say(old.url, "first")).text).toBe("first");
  const young = await serve();
  expect((await say(young.url, "second")).text).toBe("second");
  await young.printed("stderr", new RegExp(`Files stay in ${former} until the next start, because a gateway of an`));
  expect(existsSync(join(state, "ledger"))).toBe(false);
  const { stdout } = await runCurlew(["stop-all"], { env: { HOME } });
  for (const { url } of [old, young]) expect(stdout).toContain(new URL(url).port);
  await stop(old);
  await stop(young);
  expect(await logged({})).toBe(2);
  await stop(await serve());
  expect(existsSync(join(former, "ledger"))).toBe(false);
  expect(await logged({})).toBe(2);
});

it("lets two gateways start at once", async () => {
  await leaveFiles();
  const both = await Promise.all([serve(), serve()]);
  for (const { url } of both) expect((await say(url, "more")).text).toBe("more");
  for (const each of both) await stop(each);
  expect(readdirSync(former)).toEqual(["curlew.json"]);
  expect(await logged({})).toBe(3);
});

it("uses files where they are if the new place cannot be made", async () => {
  await leaveFiles();
  const env = { XDG_STATE_HOME: "/proc/nope", XDG_CACHE_HOME: "/proc/nope" };
  const gateway = await serve(env);
  expect((await say(gateway.url, "second")).text).toBe("second");
  const { stderr } = await stop(gateway);
  expect(stderr).toContain(`${join(former, "ledger")} cannot be moved to /proc/nope/curlew/ledger`);
  expect(await logged(env)).toBe(2);
});

it("never moves a folder of conversations that a setting names", async () => {
  await leaveFiles();
  const folder = join(former, "state");
  await stop(await serve({}, ["--state-folder", folder]));
  expect(existsSync(join(folder, "data.mdb"))).toBe(true);
  expect(existsSync(join(state, "ledger"))).toBe(true);
});

it("never moves that folder for a client that is run either", async () => {
  await leaveFiles();
  const stateFolder = join(former, "state");
  writeFileSync(join(former, "curlew.json"), JSON.stringify({ stateFolder, port: 9 }));
  const args = ["run", "env", process.execPath, "-e", "0"];
  const { code, stderr } = await runCurlew(args, { env: { ...account, HOME } });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(existsSync(join(stateFolder, "data.mdb"))).toBe(true);
  expect(existsSync(join(state, "ledger"))).toBe(true);
});

it("finds conversations that another process has moved since the settings were read", async () => {
  await leaveFiles();
  const { settings, named } = loadSettings({ env: { HOME, ...account }, homeDirectory: HOME, given: { port: "0" } });
  await stop(await serve());
  const server = await startServer({ ...settings, logLevel: "silent" }, { orSimulate: false, named });
  await server.ready;
  await server.stop(AbortSignal.abort());
  expect(readdirSync(former)).toEqual(["curlew.json"]);
});

const OTHER_DISK = "/dev/shm";
const hasOtherDisk = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(tmpdir()).dev;

it.skipIf(!hasOtherDisk)("goes on with a move to another disk that was killed", async () => {
  await leaveFiles();
  const env = { HOME, XDG_STATE_HOME: temporary(OTHER_DISK) };
  const target = join(env.XDG_STATE_HOME, "curlew");
  mkdirSync(target);
  const begun = new Promise<void>((resolve) => {
    const watcher = watch(target, () => resolve());
    onTestFinished(() => watcher.close());
  });
  const killed = spawnCurlew(["serve", "--port", "0"], { env: { ...account, ...env } });
  await begun;
  killed.process.kill("SIGKILL");
  await killed.finished;
  const gateway = await serve(env);
  expect((await say(gateway.url, "second")).text).toBe("second");
  await stop(gateway);
  expect(readdirSync(former)).toEqual(["curlew.json"]);
  expect(readdirSync(target).filter((name) => name.includes("part"))).toEqual([]);
  expect(await logged({ XDG_STATE_HOME: env.XDG_STATE_HOME })).toBe(2);
});
