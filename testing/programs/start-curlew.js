// One of our commands that runs until it is stopped and prints its address on the first line.
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
    /** Its log so far. */
    log: () => log,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, "exit");
    },
  };
}
