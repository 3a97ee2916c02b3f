// Prepares a client: its own workspace and home, configured for its own gateway.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runClient } from "./client-process.js";
import { configure } from "./guide.js";
import { startSystem } from "./system.js";
import { notes } from "./turns.js";

/** Configures the client with `curlew setup`, or as its page says where setup does not know the dialect. */
export async function prepareClient(client, { path, main, isKept }) {
  const folder = mkdtempSync(join(tmpdir(), "curlew-clients-case-"));
  const [cwd, home, temporary] = ["workspace", "home", "tmp"].map((name) => join(folder, name));
  for (const path of [cwd, home, temporary]) mkdirSync(path);
  for (const [name, secret] of Object.entries(notes)) writeFileSync(join(cwd, name), `${secret}\n`);
  const system = await startSystem(main, join(folder, "curlew"));
  const close = async () => {
    await system.stop();
    if (isKept) console.log(`      kept in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  };
  const { command, setup, environment = {} } = client;
  /** Runs the client, or another program in the same environment. */
  const run = (task) => runClient({ file: command, ...task, environment }, { cwd, home, temporary, path });
  /** Runs one of Curlew's commands, which must succeed. */
  const curlew = async (...args) => {
    const { code, stderr } = await run({ file: process.execPath, args: [main, ...args] });
    if (code !== 0) throw new Error(`curlew ${args.join(" ")} ended with ${code}: ${stderr}`);
  };
  try {
    if (setup === undefined) configure(client.name, home, system.url);
    for (const [name, value] of Object.entries({ ...client.files, ...client.terminal?.files?.(cwd) })) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), JSON.stringify(value));
    }
    if (setup !== undefined) await curlew("setup", setup, "--yes", "--url", system.url);
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return { folder, cwd, home, system, run, curlew, close };
}

export function linesIn(file) {
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").length : 0;
}
