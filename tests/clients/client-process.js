// Runs a client in its own process and home, which can reach only the gateway.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openTerminal, terminalCommand } from "./terminal.js";

const CLIENT_MS = 180_000;
/** Nothing listens there: requests to the internet fail at once. */
const NOWHERE = "http://127.0.0.1:9";

/**
 * Runs the client to its end, or for `limitMs`, then kills its process group. With `play`, it runs on a terminal that
 * `play(terminal)` operates.
 */
export async function runClient(task, { cwd, home, temporary, path }) {
  const { file, args, stdin = "", play, environment, limitMs = CLIENT_MS } = task;
  const [command, ...rest] = play === undefined ? [file, ...args] : terminalCommand([file, ...args]);
  const child = spawn(command, rest, {
    cwd,
    detached: true,
    env: {
      PATH: path,
      HOME: home,
      TMPDIR: temporary,
      TERM: play === undefined ? "dumb" : "xterm-256color",
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: "127.0.0.1,localhost",
      ...environment,
    },
  });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"]) {
    child[stream].setEncoding("utf8").on("data", (text) => {
      output[stream] += text;
    });
  }
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
  }, limitMs);
  child.stdin.on("error", () => {}); // the client may end before it has read everything
  let failure;
  const playing = play?.(openTerminal(child)).catch((thrown) => {
    failure = thrown;
    endGroup(child.pid);
  });
  if (play === undefined) child.stdin.end(stdin);
  const [code] = await once(child, "close");
  await playing;
  clearTimeout(timer);
  endGroup(child.pid);
  return { code, isLate, failure, ...output };
}

function endGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (thrown) {
    if (thrown.code !== "ESRCH") throw thrown; // the group is empty
  }
}
