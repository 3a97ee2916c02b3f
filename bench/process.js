import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const probed = ["--expose-gc", "--import", new URL("./targets/probe.js", import.meta.url).href];

/** Starts a program of this folder that reports its port. With `isProbed` it also answers the questions of bench/targets/probe.js. */
export async function start(file, { args = [], isProbed = false, nodeArgs = [] } = {}) {
  const execArgv = [...(isProbed ? probed : []), ...nodeArgs];
  const child = fork(here(file), args, { execArgv, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [{ port, http1Port }] = await once(child, "message");
  return { child, url: `http://127.0.0.1:${port}`, http1Url: `http://127.0.0.1:${http1Port}` };
}

/** The gateway as users run it, against the given upstream; with constants, without the command line around it. */
export async function startGateway(
  upstreamUrl,
  home,
  { checkout = here(".."), settings = {}, constants, nodeArgs, isProbed } = {},
) {
  const withConstants = `${checkout}/dist/serve-with-constants.js`;
  // An older checkout takes them as settings.
  const serve =
    constants !== undefined && existsSync(withConstants)
      ? [withConstants, JSON.stringify(constants)]
      : [`${checkout}/dist/main.js`, "serve", "--port", "0", "--json"];
  const child = spawn(process.execPath, [...(isProbed ? probed : []), ...(nodeArgs ?? []), ...serve], {
    stdio: ["ignore", "pipe", "inherit", ...(isProbed ? ["ipc"] : [])],
    env: {
      ...process.env,
      CURLEW_HOME: home,
      CURSOR_BACKEND_URL: upstreamUrl,
      CURSOR_AUTH_TOKEN: "bench-token",
      CURLEW_TRANSPORT: "h2", // the only transport of the upstream
      NO_COLOR: "1",
      CURLEW_LOG_LEVEL: "error",
      ...settings,
    },
  });
  let out = "";
  for await (const part of child.stdout) {
    out += part;
    if (out.includes("\n")) break;
  }
  return { child, url: JSON.parse(out.split("\n")[0]).url };
}

/** The answer of a process to a message. Rejects when the process ends instead. */
export async function ask(child, question) {
  const done = new AbortController();
  const { signal } = done;
  const ended = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`a measured process ended with ${code}`);
  });
  try {
    const answered = once(child, "message", { signal });
    child.send(question);
    const [answer] = await Promise.race([answered, ended]);
    return answer;
  } finally {
    done.abort();
  }
}

export async function stop({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** CPU time of all threads so far, in microseconds, by the kernel's counters. Linux only. */
export function cpuUs(pid) {
  let ns = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    ns += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
  }
  return ns / 1_000;
}

/**
 * The calls of read, write and similar by the main thread so far. Other threads are left out, because how often the store's thread
 * writes depends on the clock. Waiting in epoll does not count.
 */
export function readsAndWrites(pid) {
  const io = readFileSync(`/proc/${pid}/task/${pid}/io`, "utf8");
  return Number(/syscr: (\d+)/.exec(io)[1]) + Number(/syscw: (\d+)/.exec(io)[1]);
}
