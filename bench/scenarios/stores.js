// Measures the store with many conversations, without the gateway: writing and reading a record, the start after a kill, sweeps,
// and how long each of them blocks the event loop. The store is not a public part of the program, so it is bundled from the sources of the checkout.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

export async function measureStores(checkout, counts) {
  // The folder is below the checkout, so that the bundle finds lmdb there.
  const folder = mkdtempSync(join(checkout, "node_modules", ".curlew-bench-"));
  try {
    const file = join(folder, "store.mjs");
    const bundle = await rolldown({
      input: join(checkout, "packages/gateway/store/index.ts"),
      platform: "node",
      external: ["lmdb"],
    });
    await bundle.write({ file, format: "esm", codeSplitting: false });
    const { newLineage } = await import(pathToFileURL(file).href);
    if (newLineage === undefined) {
      console.error(`${checkout} has a store of another form, which is left out.`);
      return [];
    }
    const results = [];
    for (const count of counts) results.push(await measureStore(file, join(folder, String(count)), count));
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureStore(file, folder, count) {
  const filled = await play(file, folder, count, "fill");
  const reopened = await play(file, folder, count, "reopen");
  return { count, ...filled, ...reopened, longestMs: { ...filled.longestMs, ...reopened.longestMs } };
}

/** The process that fills the store is killed, so that the next one finds it as after a crash. */
async function play(file, folder, count, phase) {
  const program = fileURLToPath(new URL("./store-child.js", import.meta.url));
  const child = fork(program, [pathToFileURL(file).href, folder, String(count), phase], { stdio: "inherit" });
  const gone = once(child, "exit");
  const [result] = await once(child, "message");
  if (phase === "fill") child.kill("SIGKILL");
  await gone;
  return result;
}
