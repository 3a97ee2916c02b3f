// Runs another project's client in its own process and home, which can reach only this machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const START_MS = 60_000;
/** Nothing listens there: requests to the internet fail at once. */
const NOWHERE = "http://127.0.0.1:9";

/** Starts it and resolves with the first line that `ready` matches; `next()` returns the following lines. */
export async function startPeer([file, ...args], { home, environment = {}, ready }) {
  const child = spawn(file, args, {
    cwd: home,
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: "127.0.0.1,localhost",
      ...environment,
    },
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    log += text;
  });
  child.stdin.on("error", () => {}); // it may have ended
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, "SIGKILL");
      await once(child, "close");
    }
  };
  const timer = setTimeout(stop, START_MS);
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${file} ${args.join(" ")} has ended:\n${log.slice(-2_000)}`);
    log += `${value}\n`;
    return value;
  };
  try {
    for (;;) {
      const found = ready.exec(await next());
      if (found !== null) return { found, next, write: (text) => child.stdin.write(text), log: () => log, stop };
    }
  } finally {
    clearTimeout(timer);
  }
}
