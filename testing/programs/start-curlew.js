// A command of ours that runs until it is stopped and says on its first line where it listens.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export async function startCurlew(main, args, env = process.env) {
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const firstLine = await Promise.race([
    once(createInterface(child.stdout), "line").then(([line]) => line.trim()),
    once(child, "exit").then(() => undefined),
  ]);
  if (firstLine === undefined) throw new Error(`\`curlew ${args.join(" ")}\` ended at once: ${log}`);
  return {
    firstLine,
    /** What it has written to its log so far. */
    log: () => log,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, "exit");
    },
  };
}
