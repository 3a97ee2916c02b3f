import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/** A helper process of this folder that reports its port. */
export async function start(file, ...args) {
  const child = fork(here(file), args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [{ port }] = await once(child, "message");
  return { child, url: `http://127.0.0.1:${port}` };
}

/** The gateway as users run it, against the given upstream. */
export async function startGateway(upstreamUrl, home, settings = {}) {
  const child = spawn(
    process.execPath,
    [here("../dist/main.js"), "serve", "--port", "0", "--json", "--log-level", "error"],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        CURLEW_HOME: home,
        CURSOR_BACKEND_URL: upstreamUrl,
        CURSOR_AUTH_TOKEN: "bench-token",
        CURLEW_TRANSPORT: "h2", // the only thing that the upstream speaks
        NO_COLOR: "1",
        ...settings,
      },
    },
  );
  let out = "";
  for await (const part of child.stdout) {
    out += part;
    if (out.includes("\n")) break;
  }
  return { child, url: JSON.parse(out.split("\n")[0]).url };
}

/** CPU time of all threads so far, in microseconds. Linux only: elsewhere the figures are not taken. */
export function cpuUs(pid) {
  let ns = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    ns += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
  }
  return ns / 1_000;
}

export function rssKiB(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
}
