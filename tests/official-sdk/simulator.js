// A simulator of its own for each case, so that its counters are about that case alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export async function startSimulator(main, transport) {
  const child = spawn(process.execPath, [main, "simulate", "--port", "0", "--transport", transport], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (chunk) => {
    complaints += chunk;
  });
  const url = await Promise.race([
    once(createInterface(child.stdout), "line").then(([line]) => line.trim()),
    once(child, "exit").then(() => undefined),
  ]);
  if (!url?.startsWith("http://"))
    throw new Error(`\`curlew simulate\` did not print its URL first: ${url ?? complaints}`);
  const get = async (path) => (await fetch(`${url}/__sim/${path}`)).json();
  return {
    url,
    stats: () => get("stats"),
    requests: () => get("requests?last=500"),
    async stop() {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, "exit");
    },
  };
}
