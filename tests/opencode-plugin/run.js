// The plugin as it is published (`npm pack`), in the real OpenCode from npm, against the simulator.
//   node tests/opencode-plugin/run.js
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { npmFolder } from "../../testing/programs/npm-folder.js";
import { startCurlew } from "../../testing/programs/start-curlew.js";
import { startSimulator } from "../../testing/programs/start-simulator.js";
import { Steps } from "../../testing/programs/steps.js";
import { runClient } from "../clients/client-process.js";
import { installClient } from "../clients/install.js";
import { packages } from "../clients/versions.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const secret = "heron-4711";
const prompt = `[[call bash ${JSON.stringify({ command: "cat note.txt", description: "Reads a note" })}]] then [[say The note was read.]]`;
const run = ["run", "--model", "cursor/auto"];

/**
 * OpenCode installs this package beside its settings once they name a plugin. It is preinstalled here, because the client is
 * offline.
 */
const api = await npmFolder("opencode-plugin-api", [
  "--save-exact",
  `@opencode-ai/plugin@${packages.opencode.version}`,
]);

const folder = mkdtempSync(join(tmpdir(), "curlew-opencode-plugin-"));
const steps = new Steps();
try {
  const { package: installedPackage, main } = installPacked();
  const installed = join(installedPackage, "dist", "opencode");
  const path = await installClient("opencode");
  await steps.attempt("a conversation with a tool, and one more turn", () => playConversation(installed, main, path));
  await steps.attempt("the same without Node on the PATH", () => playConversation(installed, main, withoutNode(path)));
  await steps.attempt("models with sizes and variants", () => listModels(installed, main, path));
  await steps.attempt("the package's folder works like the plugin's", () => listModels(installedPackage, main, path));
  await steps.attempt("a running gateway is used", () => useRunning(installed, main, path));
  await steps.attempt("opencode auth login signs in to Cursor", () => signIn(installed, main, path));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
steps.report();

async function playConversation(installed, main, path) {
  await inWorld(installed, main, path, async ({ opencode, simulator }) => {
    const first = await opencode({ args: run, stdin: prompt });
    for (const text of [secret, "The note was read."]) assert.ok(first.stdout.includes(text), reportOf(first));
    const next = await opencode({ args: [...run, "--continue"], stdin: "[[say It was about birds.]]" });
    assert.ok(next.stdout.includes("It was about birds."), reportOf(next));
    const { runs, conversations, runsOpen, execsAsked, execsAnswered } = await simulator.stats();
    assert.deepEqual({ runs, conversations, runsOpen }, { runs: 2, conversations: 1, runsOpen: 0 });
    assert.equal(execsAnswered, execsAsked);
    assert.deepEqual(gatewaysLeft(installed), [], "gateways that outlive OpenCode");
  });
}

async function listModels(installed, main, path) {
  await inWorld(installed, main, path, async ({ opencode }) => {
    const outcome = await opencode({ args: ["models", "cursor", "--verbose"] });
    const models = Object.fromEntries(
      outcome.stdout
        .split(/^(?=cursor\/)/m)
        .filter((part) => part.startsWith("cursor/"))
        .map((part) => [part.split("\n")[0].trim(), JSON.parse(part.slice(part.indexOf("\n")))]),
    );
    assert.equal(models["cursor/auto"]?.limit.context, 200_000, reportOf(outcome));
    const opus = models["cursor/claude-opus-4-8-high"];
    assert.equal(opus.capabilities.toolcall, true);
    assert.equal(opus.capabilities.reasoning, true);
    assert.deepEqual(opus.variants.low, { reasoningEffort: "low" });
    assert.equal(models["cursor/claude-opus-4-8-high:max"].limit.context, 1_000_000);
  });
}

async function useRunning(installed, main, path) {
  await inWorld(installed, main, path, async ({ opencode, environment }) => {
    const key = "a-key-of-sixteen-or-more";
    const own = { PATH: process.env.PATH, ...environment, CURLEW_KEY: key };
    const gateway = await startCurlew(main, ["serve", "--port", "0", "--json"], own);
    try {
      const { port } = new URL(JSON.parse(gateway.firstLine).url);
      const outcome = await opencode({ args: run, stdin: "[[say Hello.]]" }, { PORT: port, CURLEW_KEY: key });
      assert.ok(outcome.stdout.includes("Hello."), reportOf(outcome));
      assert.ok(gateway.log().includes("POST /v1/chat/completions"), "the gateway got no request");
    } finally {
      await gateway.stop();
    }
  });
}

async function signIn(installed, main, path) {
  await inWorld(installed, main, path, async ({ opencode, home, simulator }) => {
    const login = ["auth", "login", "--provider", "cursor", "--method", "Browser"];
    const signed = { CURSOR_API_KEY: "", CURSOR_WEBSITE_URL: simulator.url, CURLEW_CREDENTIAL_STORE: "file" };
    const opened = await opencode({ args: login }, signed);
    assert.ok(opened.stdout.includes("Login successful"), reportOf(opened));
    assert.ok(!readFileSync(join(home, ".local/share/opencode/auth.json"), "utf8").includes("crsr_"));
    const outcome = await opencode({ args: run, stdin: "[[say Hello.]]" }, signed);
    assert.ok(outcome.stdout.includes("Hello."), reportOf(outcome));
  });
}

/** Plays with a simulator, and an OpenCode in its own home whose settings name the plugin. */
async function inWorld(installed, main, path, play) {
  const caseFolder = mkdtempSync(join(folder, "case-"));
  const [cwd, home, temporary] = ["workspace", "home", "tmp"].map((name) => join(caseFolder, name));
  for (const each of [cwd, temporary, join(home, ".config", "opencode")]) mkdirSync(each, { recursive: true });
  writeFileSync(join(cwd, "note.txt"), `${secret}\n`);
  cpSync(api, join(home, ".config", "opencode"), { recursive: true });
  const settings = join(home, ".config", "opencode", "opencode.json");
  if (installed.endsWith("opencode")) {
    writeFileSync(settings, JSON.stringify({ small_model: "cursor/auto" }));
    // Also writes the setting of OpenCode 2, which OpenCode 1 must ignore.
    const env = { PATH: process.env.PATH, HOME: home, CURLEW_HOME: join(caseFolder, "setup") };
    execFileSync(process.execPath, [main, "setup", "opencode", "--plugin", "--yes"], { env });
  } else
    writeFileSync(settings, JSON.stringify({ plugin: [pathToFileURL(installed).href], small_model: "cursor/auto" }));
  const simulator = await startSimulator(main, "h2");
  const environment = {
    CURLEW_HOME: join(caseFolder, "curlew"),
    CURSOR_BACKEND_URL: simulator.url,
    CURSOR_API_KEY: "crsr_plugin",
    PORT: "9", // nothing ever listens there
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
  const opencode = (task, more = {}) =>
    runClient({ file: "opencode", ...task, environment: { ...environment, ...more } }, { cwd, home, temporary, path });
  try {
    await play({ opencode, simulator, environment, home });
  } finally {
    await simulator.stop();
  }
}

function installPacked() {
  const npm = (args, cwd) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  if (!existsSync(join(root, "dist", "opencode", "index.js"))) throw new Error("Run `npm run build` first.");
  npm(["pack", "--ignore-scripts", "--pack-destination", folder], root);
  const packed = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  npm(["install", "--ignore-scripts", "--omit=peer", "--no-audit", "--no-fund", `./${packed}`], folder);
  const installed = join(folder, "node_modules", "curlew");
  return { package: installed, main: join(installed, "dist", "main.js") };
}

/** A PATH without Node. OpenCode is a binary: it needs only the tools of a shell. */
function withoutNode(path) {
  const hasNode = (entry) => existsSync(join(entry, "node"));
  const tools = join(folder, "tools");
  mkdirSync(tools);
  for (const tool of ["sh", "cat"]) symlinkSync(join("/bin", tool), join(tools, tool));
  return [...path.split(delimiter).filter((entry) => !hasNode(entry)), tools].join(delimiter);
}

function gatewaysLeft(installed) {
  const all = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  return all.filter((line) => line.includes(join(installed, "..", "chunks", "gateway-child.js")));
}

function reportOf({ code, stdout, stderr }) {
  return `ended with ${code}\nstdout: ${stdout.slice(-1_500)}\nstderr: ${stderr.slice(-1_500)}`;
}
