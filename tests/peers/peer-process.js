// Runs another project's client in its own process and home.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A client that prints nothing of what is awaited is ended. */
const PATIENCE_MS = 60_000;

/** Starts it. `until(pattern)` resolves with the first match in the lines that it has yet to print. */
export function startPeer([file, ...args], { home, environment }) {
  const child = spawn(file, args, {
    cwd: home,
    detached: true,
    env: { PATH: process.env.PATH, HOME: home, ...environment },
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
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${file} ${args.join(" ")} has ended:\n${log.slice(-2_000)}`);
    log += `${value}\n`;
    return value;
  };
  const until = async (pattern) => {
    const timer = setTimeout(stop, PATIENCE_MS);
    try {
      for (;;) {
        const found = pattern.exec(await next());
        if (found !== null) return found[0];
      }
    } finally {
      clearTimeout(timer);
    }
  };
  return { until, write: (text) => child.stdin.write(text), log: () => log, stop };
}
