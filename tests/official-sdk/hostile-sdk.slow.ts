import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { createSdkBackend } from "../../packages/gateway/backends/sdk/index.js";
import { systemClock } from "../../packages/gateway/system/clock.js";
import { collect } from "../../packages/gateway/turn/collect.js";
import { startContext, userTurn } from "../../testing/backends/scripted/index.js";
import { chat, result, tool } from "../../testing/clients/tool-client.js";
import { chatTools, nativeTools } from "../../testing/hostile/native-tools.js";
import { type Owner, startOwner } from "../../testing/hostile/owner.js";
import { startGatewayProcess } from "../../testing/programs/gateway-process.js";
import { nodeBinFolder } from "../../testing/programs/npm-folder.js";
import { sampleProfile } from "../../testing/samples/sample-profile.js";
import { startSimulator } from "../../testing/simulator/strict-simulator.js";
import { installSdk } from "./install.js";

vi.setConfig({ testTimeout: 120_000 });
const sdk = await installSdk({ version: "1.0.32", nodeMajor: "24" });
const MAJORS = ["22", "24", "26"];
const programs = fileURLToPath(new URL("../../testing/programs", import.meta.url));
const modulePath = fileURLToPath(sdk.module);

it("every tool in the descriptors of the package is demanded here", () => {
  const code = readFileSync(modulePath, "utf8");
  const [, fields = ""] = /"ExecServerMessage\|([^"]*)"/.exec(code) ?? [];
  const execs = fields.split("|").flatMap((field) => /^\d+ (\w+?)(?:_args)? #\d+ message$/.exec(field)?.[1] ?? []);
  expect(execs.filter((name) => name !== "request_context").sort()).toEqual([...nativeTools].sort());
  const [, values = ""] = /"ClientSideToolV2",\[\[0,"UNSPECIFIED"\],(.*?)\]\]/.exec(code) ?? [];
  expect([...values.matchAll(/\[(\d+),/g)].map(([, number]) => Number(number))).toEqual(chatTools);
});

// Concurrent tests need their own `expect`.
it.concurrent.for(MAJORS)(
  `a server gets none of ${nativeTools.length} tools on sdk, and turns, tools and images work, on Node %s`,
  async (major, { expect }) => {
    const [owner, simulator] = await Promise.all([startOwner(), startSimulator()]);
    const env = {
      ...{ HOME: join(owner.folder, "home"), TMPDIR: join(owner.folder, "tmp") },
      ...{ CURLEW_BACKEND: "sdk", CURLEW_SDK_PATH: modulePath },
    };
    const sdkNode = await nodeOf(major);
    const gateway = await startGatewayProcess(simulator.url, join(owner.folder, "curlew"), { sdkNode }, { env });
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
    const text = { type: "text", text: `[[call look {}]] then ${owner.demands(nativeTools)} My bird is a curlew.` };
    const messages = [{ role: "user" as const, content: [text, image] }];
    const tools = [tool("look")];
    const asked = await chat(gateway.url, messages, { tools });
    expect(asked.calls).toMatchObject([{ function: { name: "look" } }]);
    const history = [...messages, asked.message, result(asked.calls[0], "seen")];
    const answer = await chat(gateway.url, history, { tools });
    expect(answer.text).toMatch(/Result of look: seen.*done/s);
    expect(answer.text.match(/^native \w+: /gm)).toHaveLength(nativeTools.length);
    const next = [...history, answer.message, { role: "user" as const, content: "Which bird is it?" }];
    const last = await chat(gateway.url, next, { tools });
    expect(last).toMatchObject({ continuity: "warm", text: expect.stringContaining("My bird is a curlew.") });
    expect(JSON.stringify(simulator.requests(100))).toContain("image/png");
    expect(owner.harm(answer.text)).toEqual([]);
    const own = readdirSync(join(owner.folder, "curlew"), { recursive: true, encoding: "utf8" });
    expect(own.filter((path) => /sdk\/(?!conversations|home)\w+\/./.test(path))).toEqual([]);
    await gateway.stop();
    await simulator.close();
    owner.close();
  },
);

/** What the server achieves when walls are missing. */
const gaps = [
  { major: "24", down: ["second"], tools: nativeTools, left: [] },
  ...["22", "24"].map((major) => ({
    ...{ major, down: ["network of the first"], tools: ["fetch"], left: ["told the secret", "connected"] },
  })),
  {
    ...{ major: "24", down: ["first", "second"], tools: ["fetch", "write", "delete"] },
    left: ["told the secret", "connected", "made made: x", expect.stringMatching(/^removed notes/)],
  },
];

it.concurrent.for(gaps)(
  "without the wall $down on Node $major, the server achieves: $left",
  async ({ major, down, tools, left }, { expect }) => {
    const owner = await startOwner();
    expect(owner.harm(await playWithout(down, owner.demands(tools), owner, await nodeOf(major)))).toEqual(left);
    owner.close();
  },
);

/** The SDK itself never gets there, and the second wall closes them. */
const NOT_IN_THE_FIRST = ["inspector", "heap", "report"];
/** These reach nothing of the owner's, or only the first wall closes them. */
const NOT_IN_THE_MODEL = [
  "database",
  "fs.glob",
  "fs.globSync",
  "fs.realpathSync",
  "fs.promises.glob",
  "fs.promises.lchmod",
];

it.concurrent.for(MAJORS)(
  "each wall alone refuses what it covers, through every function, on Node %s",
  async (major, { expect }) => {
    const owner = await startOwner();
    const node = await nodeOf(major);
    const wall = fileURLToPath(new URL("../../packages/gateway/backends/sdk/sdk-wall.js", import.meta.url));
    const first = await tryActs(node, [], [owner.folder, owner.url, wall]);
    expect(notRefused(first.acts).filter((name) => !NOT_IN_THE_FIRST.includes(name))).toEqual([]);
    expect(notRefused(first.network)).toEqual(["websocket"]); // its error has no reason
    expect(owner.harm("")).not.toContain("connected");
    const second = await tryActs(node, await permissionsFor(owner, node), [owner.folder, owner.url]);
    expect(notRefused(second.acts).filter((name) => !NOT_IN_THE_MODEL.includes(name))).toEqual([]);
    expect(second.network.fetch).toBe("done");
    owner.close();
  },
);

interface Outcomes {
  acts: Record<string, string>;
  network: Record<string, string>;
}

async function tryActs(node: string, execArgv: string[], args: string[]): Promise<Outcomes> {
  const child = fork(join(programs, "forbidden-acts.js"), args, {
    execPath: node,
    execArgv,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const [outcomes] = await once(child, "message");
  return outcomes;
}

function notRefused(outcomes: Record<string, string>): string[] {
  return Object.keys(outcomes).filter(
    (name) =>
      !/^(EACCES|ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED|TypeError: .* is not a constructor)$/.test(outcomes[name] ?? ""),
  );
}

/** The flags with which the gateway starts the process, with a fake module in place of the SDK. */
async function permissionsFor({ folder }: Owner, node: string): Promise<string[]> {
  const settings = {
    ...{
      sdkPath: join(programs, "fake-sdk.js"),
      sdkNode: node,
      backendUrl: "http://127.0.0.1:1",
      profile: sampleProfile,
    },
    ...{ stateFolder: join(folder, "curlew"), stateMaxDays: 1, stallMs: 300_000, quietMs: 250 },
  };
  const machine = { env: {}, platform: process.platform, homeDirectory: folder };
  const backend = createSdkBackend({ settings, machine, clock: systemClock }, "crsr_permissions");
  const { text } = await collect(backend.start(userTurn("given"), startContext()).events());
  await backend.close();
  return JSON.parse(text).execArgv;
}

/** Plays a turn in the SDK's process without some of its walls. Returns the model's text. */
async function playWithout(down: readonly string[], prompt: string, owner: Owner, node: string): Promise<string> {
  const simulator = await startSimulator();
  const root = join(owner.folder, "curlew");
  for (const name of ["code", "empty", "home", "store"]) mkdirSync(join(root, name));
  const cwd = join(root, "empty");
  for (const name of ["sdk-child.js", "sdk-wall.js"])
    cpSync(new URL(`../../packages/gateway/backends/sdk/${name}`, import.meta.url), join(root, "code", name));
  writeFileSync(join(root, "code", "package.json"), JSON.stringify({ type: "module" }));
  const wallFile = join(root, "code", "sdk-wall.js");
  if (down.includes("first")) writeFileSync(wallFile, NO_WALL);
  if (down.includes("network of the first")) {
    const wall = readFileSync(wallFile, "utf8");
    expect(wall).toContain(GUARD);
    writeFileSync(wallFile, wall.replace(GUARD, ""));
  }
  const packages = modulePath.slice(0, modulePath.indexOf("/@cursor"));
  const open = { readable: [packages, cwd], writable: [join(root, "home")], hosts: [new URL(simulator.url).host] };
  const permissions = [
    "--permission",
    `--allow-fs-read=${packages}`,
    `--allow-fs-read=${root}`,
    `--allow-fs-write=${root}`,
  ];
  const child = fork(join(root, "code", "sdk-child.js"), [sdk.module, cwd, JSON.stringify(open)], {
    execPath: node,
    execArgv: down.includes("second") ? [] : permissions,
    cwd,
    env: {
      HOME: join(root, "home"),
      PATH: "/usr/bin:/bin",
      CURSOR_API_KEY: "crsr_walls",
      CURSOR_BACKEND_URL: simulator.url,
    },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.on("message", (message: { type: string; delta?: string }) => {
      if (message.type === "text") said += message.delta;
      else if (message.type === "end") resolve();
      else if (message.type === "ready") child.send(startTurn(prompt, join(root, "store")));
      else if (message.type !== "usage") reject(new Error(JSON.stringify(message)));
    });
    child.once("exit", () => reject(new Error("the process ended")));
  }).finally(() => child.kill("SIGKILL"));
  await simulator.close();
  return said;
}

function startTurn(text: string, store: string): object {
  const model = { id: "default", params: [] };
  return { type: "start", turn: "1", store, model, system: "", tools: [], message: { text, images: [] } };
}

/** The line with which the first wall closes the network. */
const GUARD = "guardSockets(hosts);";
const NO_WALL = "export const raiseWall = () => {}; export const runTurn = (_, act) => act();";

async function nodeOf(major: string): Promise<string> {
  return join(await nodeBinFolder(major), "node");
}
